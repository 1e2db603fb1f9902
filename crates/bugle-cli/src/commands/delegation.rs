//! The commands of reviews and sub-agents.

use bugle_app::{App, AppError, Exit, RunSelector, child_token, visit_token};

use crate::arguments::{AcceptArguments, RetryArguments, StepArguments};
use crate::output::{Output, print};

pub(crate) fn retry(app: &mut App, arguments: RetryArguments, output: &Output) -> Result<Exit, AppError> {
    let token = child_token(&arguments.child)?;
    Output::reply(
        app.retry(&token, arguments.answer),
        output.format(arguments.format.format),
    )
}

pub(crate) fn findings(app: &mut App, arguments: &StepArguments, output: &Output) -> Result<Exit, AppError> {
    let view = app.findings(&RunSelector::parse(arguments.run.as_deref())?)?;
    print(&bugle_render::findings(
        &view,
        output.format(arguments.format.format),
    ))?;
    Ok(Exit::Done)
}

pub(crate) fn accept(app: &mut App, arguments: &AcceptArguments, output: &Output) -> Result<Exit, AppError> {
    let accepted = app.accept(
        &visit_token(&arguments.visit)?,
        &arguments.findings,
        &arguments.why,
    )?;
    let others = match accepted.left {
        0 => "Nothing else does".to_owned(),
        1 => "1 other still does".to_owned(),
        left => format!("{left} others still do"),
    };
    let stands = if accepted.waits {
        "the run still waits for a decision"
    } else {
        "where the run stands"
    };
    output.line(&format!(
        "These findings of {} no longer block. {others}; {stands}: {}",
        accepted.visit, accepted.goes_on
    ))?;
    Ok(Exit::Done)
}
