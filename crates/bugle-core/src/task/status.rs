//! A task's status, and the state derived from its status and dependencies.

use serde::{Deserialize, Serialize};

/// A task's status, set by commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started.
    #[default]
    Pending,
    /// An agent is working on the task.
    Active,
    /// The task is waiting for another agent or a person.
    Blocked,
    /// The task failed.
    Failed,
    /// The task is done.
    Done,
    /// The task was skipped.
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
    /// Whether the task is neither done nor skipped.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Skipped)
    }
}

/// A task's visible state. Never stored: it is derived from status and dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// The task is done.
    Done,
    /// The task was skipped.
    Skipped,
    /// A dependency is open, or the task is waiting for another agent or a person.
    Blocked,
    /// An agent is working on the task or on a descendant.
    Active,
    /// The task failed.
    Failed,
    /// The task can start.
    Pending,
}

enum_text!(TaskState {
    Done = "done",
    Skipped = "skipped",
    Blocked = "blocked",
    Active = "active",
    Failed = "failed",
    Pending = "pending",
});

impl TaskState {
    /// The state of a task with this status. `waits`: the task or an ancestor has an open dependency. `begun`: a
    /// descendant has started or is closed.
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
}
