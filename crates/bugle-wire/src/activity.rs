//! Recent events and messages in a wake-up.

use serde::Serialize;

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActivityView {
    /// The local time: `10:32`.
    pub at: String,
    /// The agent or user who did it.
    pub by: String,
    /// What was done, on one line.
    pub what: String,
}

/// A message to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeMessage {
    /// Its id, if it is stored.
    pub id: Option<String>,
    /// The local time.
    pub at: Option<String>,
    /// The sender.
    pub from: String,
    /// The text, word for word.
    pub text: String,
    /// The command that answers it, if it is an open question to this agent.
    pub answer_with: Option<String>,
    /// The question that it answers.
    pub answers: Option<String>,
}
