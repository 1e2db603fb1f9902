//! The status of a run.

use serde::{Deserialize, Serialize};

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// An agent is at work.
    Active,
    /// A person has to answer.
    Waiting,
    /// Paused.
    Paused,
    /// At its end.
    Completed,
    /// Cancelled.
    Cancelled,
}

enum_text!(RunStatus {
    Active = "active",
    Waiting = "waiting",
    Paused = "paused",
    Completed = "completed",
    Cancelled = "cancelled",
});

impl RunStatus {
    /// Whether anything can still happen.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Active | Self::Waiting | Self::Paused)
    }
}
