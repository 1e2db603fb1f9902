//! The commands of a run.

use std::io::Read as _;
use std::path::Path;

use bugle_app::{App, AppError, DoneRequest, Exit, MAX_INPUT_BYTES, RunSelector, Stop, visit_token};
use bugle_core::engine::Escalation;
use bugle_render::run as text;

use crate::arguments::{
    DecideArguments, DoneArguments, EscalationChoice, NoteArguments, ReasonArguments, RunArguments,
    RunsArguments, StepArguments, VisitArguments,
};
use crate::output::Output;

pub(crate) fn done(app: &mut App, arguments: DoneArguments, output: &Output) -> Result<Exit, AppError> {
    let format = output.format(arguments.format.format);
    let result = arguments.result.map(given_text).transpose()?;
    let request = DoneRequest {
        visit: visit_token(&arguments.visit)?,
        result,
        unanswered: arguments.unanswered,
        stopped: match (arguments.fail, arguments.escalate) {
            (Some(reason), _) => Some((Stop::Failed, reason)),
            (None, Some(kind)) => Some((Stop::Escalated(escalation(kind)), arguments.why)),
            (None, None) => None,
        },
        note: arguments.note,
    };
    Output::reply(app.done(request), format)
}

fn escalation(choice: EscalationChoice) -> Escalation {
    match choice {
        EscalationChoice::Blocked => Escalation::Blocked,
        EscalationChoice::NeedsDecision => Escalation::NeedsDecision,
        EscalationChoice::Uncertainty => Escalation::Uncertainty,
    }
}

pub(crate) fn step(app: &mut App, arguments: &StepArguments, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(arguments.run.as_deref())?;
    Output::reply(app.step(&selector), output.format(arguments.format.format))
}

pub(crate) fn decide(app: &mut App, arguments: DecideArguments, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(Some(&arguments.run))?;
    Output::reply(
        app.decide(&selector, arguments.answer, arguments.why),
        output.format(arguments.format.format),
    )
}

pub(crate) fn note(app: &mut App, arguments: &NoteArguments, output: &Output) -> Result<Exit, AppError> {
    let run = app.note(&RunSelector::parse(arguments.run.as_deref())?, &arguments.text)?;
    output.line(&format!("Noted with run {run}."))?;
    Ok(Exit::Done)
}

pub(crate) fn runs(app: &mut App, arguments: &RunsArguments, output: &Output) -> Result<Exit, AppError> {
    let list = app.runs(arguments.all, arguments.open, arguments.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}

pub(crate) fn show(app: &mut App, arguments: &RunArguments, output: &Output) -> Result<Exit, AppError> {
    let detail = app.show(&RunSelector::parse(arguments.run.as_deref())?)?;
    output.answer(&detail, || text::detail(&detail, &local_time))?;
    Ok(Exit::Done)
}

pub(crate) fn pause(app: &mut App, arguments: &ReasonArguments, output: &Output) -> Result<Exit, AppError> {
    let run = app.pause(
        &RunSelector::parse(arguments.run.as_deref())?,
        arguments.why.as_deref(),
    )?;
    output.line(&format!("Run {run} is paused."))?;
    Ok(Exit::Done)
}

pub(crate) fn resume(app: &mut App, arguments: &StepArguments, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(arguments.run.as_deref())?;
    Output::reply(app.resume(&selector), output.format(arguments.format.format))
}

pub(crate) fn cancel(app: &mut App, arguments: &ReasonArguments, output: &Output) -> Result<Exit, AppError> {
    let run = app.cancel(
        &RunSelector::parse(arguments.run.as_deref())?,
        arguments.why.as_deref(),
    )?;
    output.line(&format!("Run {run} is cancelled; its history stays."))?;
    Ok(Exit::Done)
}

pub(crate) fn rewind(app: &mut App, arguments: &VisitArguments, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&arguments.visit)?;
    let to = token.visit;
    Output::reply(
        app.rewind(&RunSelector::Visit(token), to),
        output.format(arguments.format.format),
    )
}

pub(crate) fn fork(app: &mut App, arguments: &VisitArguments, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&arguments.visit)?;
    let at = token.visit;
    Output::reply(
        app.fork(&RunSelector::Visit(token), at),
        output.format(arguments.format.format),
    )
}

pub(crate) fn upgrade(app: &mut App, arguments: &StepArguments, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(arguments.run.as_deref())?;
    Output::reply(app.upgrade(&selector), output.format(arguments.format.format))
}

/// A text as it was given: itself, `@file`, or `-` for standard input.
fn given_text(given: String) -> Result<String, AppError> {
    match given.strip_prefix('@') {
        Some(file) => read_text(Path::new(file)),
        None if given == "-" => read_text(Path::new("-")),
        None => Ok(given),
    }
}

/// Reads a file, or standard input for `-`; more than anyone would hand in is an error.
pub(super) fn read_text(file: &Path) -> Result<String, AppError> {
    let read = || -> std::io::Result<String> {
        let mut bytes = Vec::new();
        let most = MAX_INPUT_BYTES as u64 + 1;
        if file == Path::new("-") {
            std::io::stdin().take(most).read_to_end(&mut bytes)?;
        } else {
            std::fs::File::open(file)?.take(most).read_to_end(&mut bytes)?;
        }
        if bytes.len() > MAX_INPUT_BYTES {
            return Err(std::io::Error::other(format!(
                "it has more than {MAX_INPUT_BYTES} bytes"
            )));
        }
        String::from_utf8(bytes).map_err(|_| std::io::Error::other("it is not text in UTF-8"))
    };
    read().map_err(|source| AppError::File {
        what: "cannot read",
        path: file.to_owned(),
        source,
    })
}

/// A moment as people here write it.
pub(super) fn local_time(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds).map_or_else(
        |_| milliseconds.to_string(),
        |at| {
            at.to_zoned(jiff::tz::TimeZone::system())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string()
        },
    )
}
