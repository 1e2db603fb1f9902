//! Tool arguments. Their names are part of the interface that `tools` describes to clients.

use bugle_app::AppError;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Arguments of `start_run`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StartRun {
    pub skill: Option<String>,
    pub params: Option<Map<String, Value>>,
    pub child: Option<String>,
}

/// Arguments of `finish_step`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FinishStep {
    pub visit: String,
    pub outcome: Option<Ending>,
    pub result: Option<Value>,
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

/// An error in the arguments.
pub(super) fn usage(what: String) -> AppError {
    AppError::Usage {
        what,
        hints: Vec::new(),
    }
}
