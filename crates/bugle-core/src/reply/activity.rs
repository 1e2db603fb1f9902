//! Recent events and messages in a wake-up.

use serde::Serialize;

use super::author::Author;
use super::task_name::TaskName;
use super::timeline::Change;
use crate::id::RunId;

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct ActivityView {
    /// The local time: `10:32`.
    pub at: String,
    /// The event's author.
    pub by: Author,
    /// The changed run or task.
    pub subject: ActivitySubject,
    /// What happened.
    pub change: Change,
}

/// The run or task that an event changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActivitySubject {
    /// A run.
    Run(RunId),
    /// A task.
    Task(TaskName),
}

/// A message to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeMessage {
    /// The message's id; `None` if the message is not stored.
    pub id: Option<String>,
    /// The local time.
    pub at: Option<String>,
    /// The sender.
    pub from: String,
    /// The text, word for word.
    pub text: String,
    /// The command that answers the message, if it is an open question to this agent.
    pub answer_with: Option<String>,
    /// The question that the message answers.
    pub answers: Option<String>,
}
