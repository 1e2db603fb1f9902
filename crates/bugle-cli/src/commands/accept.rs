//! `bugle accept`

use bugle_app::{App, AppError, Exit, runs, visit_token};
use clap::Args;

use crate::output::Output;

/// Take findings of a review as risks, so that they no longer block; for the user
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    /// The visit of the review, as run#visit
    visit: String,
    /// The numbers of the findings, as `bugle findings` counts them
    #[arg(required = true, value_name = "NUMBER")]
    findings: Vec<u32>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: String,
}

pub(crate) fn run(app: &mut App, args: &AcceptArgs, output: &Output) -> Result<Exit, AppError> {
    let accepted = runs::accept(
        &mut app.store,
        &app.context,
        &visit_token(&args.visit)?,
        &args.findings,
        &args.why,
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
        accepted.visit, accepted.step_command
    ))?;
    Ok(Exit::Done)
}
