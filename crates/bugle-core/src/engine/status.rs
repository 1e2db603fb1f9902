//! Run status.

use serde::{Deserialize, Serialize};

/// A run's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// An agent is working on the run.
    Active,
    /// Waiting for a person's answer.
    Waiting,
    /// Paused.
    Paused,
    /// Finished: the last step succeeded.
    Completed,
    /// Finished: the last step failed.
    Failed,
    /// Cancelled.
    Cancelled,
}

enum_text!(RunStatus {
    Active = "active",
    Waiting = "waiting",
    Paused = "paused",
    Completed = "completed",
    Failed = "failed",
    Cancelled = "cancelled",
});

impl RunStatus {
    /// Whether the run can still change.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Active | Self::Waiting | Self::Paused)
    }
}
