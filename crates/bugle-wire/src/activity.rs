//! What happened lately, and what was said, as parts of a wake-up.

use serde::Serialize;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ActivityView {
    /// When, as people here write it: `10:32`.
    pub at: String,
    /// Who made it happen.
    pub by: String,
    /// What, in a line.
    pub what: String,
}

/// Something that was said to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeMessage {
    /// Its id, if it is kept.
    pub id: Option<String>,
    /// When, as people here write it.
    pub at: Option<String>,
    /// Who said it.
    pub from: String,
    /// What, word for word.
    pub text: String,
    /// The command that answers it, if it is an open question to this agent.
    pub answer_with: Option<String>,
    /// What was asked, if it is the answer to that.
    pub answers: Option<String>,
}
