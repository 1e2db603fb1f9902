//! Tool arguments. Their names are part of the interface that `tools` describes to clients.

use bugle_app::{AppError, RunSelector};
use bugle_core::id::{BadId, ChildToken, TaskId, VisitToken};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Arguments of `start_run`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartRun {
    pub skill: Option<String>,
    pub params: Option<Map<String, Value>>,
    pub child: Option<String>,
    pub restart: Option<String>,
    pub answer: Option<String>,
    pub resume: Option<String>,
}

/// Arguments of `finish_step`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishStep {
    pub visit: String,
    pub outcome: Option<Ending>,
    pub result: Option<Value>,
    pub answer: Option<String>,
    pub why: Option<String>,
    pub note: Option<String>,
}

/// A visit outcome that an agent may report. Bugle chooses the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    Done,
    Unanswered,
    Fail,
    Blocked,
    NeedsDecision,
    Uncertainty,
}

/// Arguments of `get_step`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GetStep {
    pub run: Option<String>,
    pub show: Option<ShownPart>,
    pub offset: Option<usize>,
}

/// The part of a run to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ShownPart {
    Step,
    History,
    Findings,
    Runs,
}

/// Arguments of `list_tasks`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListTasks {
    pub show: Option<Listing>,
    pub within: Option<String>,
}

/// The tasks to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Listing {
    Open,
    All,
    Next,
    Ready,
    Details,
}

/// Arguments of `update_task`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdateTask {
    pub action: Action,
    pub task: Option<String>,
    pub text: Option<String>,
    #[serde(rename = "as")]
    pub agent: Option<String>,
}

/// A change to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Action {
    Add,
    Start,
    TakeOver,
    Done,
    Skip,
    Fail,
    Block,
    Reopen,
    Note,
}

/// Arguments of `send_message`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SendMessage {
    pub text: String,
    pub question: Option<bool>,
    pub answers: Option<String>,
    #[serde(rename = "as")]
    pub agent: Option<String>,
}

/// Arguments of `read_inbox`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReadInbox {
    pub keep_unread: Option<bool>,
    #[serde(rename = "as")]
    pub agent: Option<String>,
}

/// Arguments of `get_context`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GetContext {
    #[serde(rename = "as")]
    pub agent: Option<String>,
}

/// Parses a run's id or a visit token.
pub(super) fn run_selector(text: Option<&str>) -> Result<RunSelector, AppError> {
    Ok(match text {
        None => RunSelector::Here,
        Some(text) if text.contains('#') => RunSelector::Visit(visit_token(text)?),
        Some(text) => RunSelector::Run(text.parse().map_err(|bad: BadId| unreadable(&bad, STEP))?),
    })
}

/// Parses a visit token.
pub(super) fn visit_token(text: &str) -> Result<VisitToken, AppError> {
    text.parse().map_err(|bad: BadId| unreadable(&bad, STEP))
}

/// Parses a sub-agent's token.
pub(super) fn child_token(text: &str) -> Result<ChildToken, AppError> {
    text.parse().map_err(|bad: BadId| unreadable(&bad, STEP))
}

/// Parses a task's id.
pub(super) fn task_id(text: &str) -> Result<TaskId, AppError> {
    text.parse()
        .map_err(|bad: BadId| unreadable(&bad, "list_tasks returns the tasks' ids."))
}

const STEP: &str = "get_step returns the current step with its tokens.";

fn unreadable(bad: &BadId, hint: &str) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: vec![hint.to_owned()],
    }
}

/// An error in the arguments.
pub(super) fn usage(what: String) -> AppError {
    AppError::Usage {
        what,
        hints: Vec::new(),
    }
}
