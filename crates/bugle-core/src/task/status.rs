//! The status of a task, and the state derived from it and its dependencies.

use serde::{Deserialize, Serialize};

/// The status of a task, as commands have set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    #[default]
    Pending,
    /// An agent works on it.
    Active,
    /// Its agent waits for another agent or a person.
    Blocked,
    /// It was tried and could not be finished.
    Failed,
    /// It is finished.
    Done,
    /// It is left out.
    Skipped,
}

enum_text!(TaskStatus {
    Pending = "pending",
    Active = "active",
    Blocked = "blocked",
    Failed = "failed",
    Done = "done",
    Skipped = "skipped",
});

impl TaskStatus {
    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Skipped)
    }
}

/// What a task looks like from outside. Never stored: it follows from its status and from what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It is finished, with or without anybody assigned.
    Done,
    /// It is left out.
    Skipped,
    /// Something it needs is open, or its agent waits.
    Blocked,
    /// An agent works on it, or on something in it.
    Active,
    /// It was tried and could not be finished.
    Failed,
    /// It can start.
    Pending,
}

impl TaskState {
    /// The state of a task with this status; `waits` if something that it or an ancestor needs is open, `begun`
    /// if something in it is under way or over.
    pub fn of(status: TaskStatus, waits: bool, begun: bool) -> Self {
        match status {
            TaskStatus::Done => Self::Done,
            TaskStatus::Skipped => Self::Skipped,
            TaskStatus::Blocked => Self::Blocked,
            _ if waits => Self::Blocked,
            TaskStatus::Active => Self::Active,
            TaskStatus::Failed => Self::Failed,
            TaskStatus::Pending if begun => Self::Active,
            TaskStatus::Pending => Self::Pending,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Skipped => "skipped",
            Self::Blocked => "blocked",
            Self::Active => "active",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }
}
