//! Reads submitted results, answers and reasons from the command or from a file.

use std::path::Path;

use bugle_core::id::VisitToken;
use bugle_core::reply::{RefusalReason, Refused};
use bugle_store::{RunRow, Store};
use serde_json::Value;

use crate::{AppError, Context, fs_util, open_run, view, work_files};

/// Maximum size of a result, an answer or a list of params.
pub const MAX_INPUT_BYTES: usize = 4 * 1024 * 1024;

/// The command that ends a visit and contains its result. `JSON` is a placeholder for the result.
pub(super) fn command_with_result(ctx: &Context, token: &VisitToken) -> String {
    ctx.command(&["done", &token.to_string(), "--result", "JSON"])
}

/// A visit's result: from the command, else from its file.
pub(super) fn submitted_result(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
    token: &VisitToken,
    given: Option<String>,
) -> Result<Option<Value>, AppError> {
    let file = work_files::result_file(ctx, token);
    let command = match given {
        Some(_) => command_with_result(ctx, token),
        None => ctx.command(&["done", &token.to_string()]),
    };
    let mut unreadable = |file: Option<&Path>, error: String| {
        AppError::Refused(Box::new(Refused {
            reason: RefusalReason::ResultUnreadable {
                file: file.map(|file| file.display().to_string()),
                error,
            },
            outline: required_result(store, row, token),
            position: Some(super::summary::position(row)),
            command: Some(command.clone()),
        }))
    };
    let (file, text) = match given {
        Some(text) => (None, text),
        None => match read_submitted(&file) {
            Ok(Some(text)) => (Some(file.as_path()), text),
            Ok(None) => return Ok(None),
            Err(error) => return Err(unreadable(Some(&file), error.to_string())),
        },
    };
    if text.trim().is_empty() {
        return Err(unreadable(file, "it is empty".to_owned()));
    }
    serde_json::from_str(&text)
        .map(Some)
        .map_err(|error| unreadable(file, error.to_string()))
}

/// The outline of the result that a run's current visit requires.
fn required_result(store: &mut Store, row: &RunRow, token: &VisitToken) -> Option<String> {
    let run = open_run::read(store, &row.id, &row.directory).ok()?;
    let visit = run.state.current().filter(|visit| visit.number == token.visit)?;
    let step = run.workflow.step(&visit.step)?;
    // The result of a dispatch comes from its sub-agents.
    let results = run.state.results_before(visit.number);
    (step.dispatch.is_none() && !step.result.is_empty())
        .then(|| view::result_outline(step, results.get(step.id.as_str())))
}

/// An answer or a reason: from the command, else from its file.
pub(super) fn submitted_text(
    ctx: &Context,
    token: &VisitToken,
    given: Option<String>,
) -> Result<Option<String>, AppError> {
    submitted_text_in(&work_files::text_file(ctx, token), given)
}

/// A string: from the command, else from a file.
pub(super) fn submitted_text_in(file: &Path, given: Option<String>) -> Result<Option<String>, AppError> {
    if given.is_some() {
        return Ok(given);
    }
    read_submitted(file)
        .map(|text| text.map(|text| text.trim().to_owned()))
        .map_err(|source| AppError::File {
            what: "cannot read",
            path: file.to_owned(),
            source,
        })
}

/// The contents of a submitted file; `None` if the file does not exist.
fn read_submitted(file: &Path) -> std::io::Result<Option<String>> {
    let bytes = match fs_util::read_bounded(file, MAX_INPUT_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let text = String::from_utf8(bytes).map_err(|_| std::io::Error::other("the file is not valid UTF-8"))?;
    Ok(Some(
        text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
    ))
}
