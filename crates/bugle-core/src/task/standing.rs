//! Where a task stands by itself, and the state that follows from that and from what it waits for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a task stands by itself: what somebody has said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody has begun.
    #[default]
    Pending,
    /// Somebody works on it.
    Active,
    /// Whoever works on it waits for somebody else.
    Blocked,
    /// It was tried and could not be finished.
    Failed,
    /// It is finished.
    Done,
    /// It is left out.
    Skipped,
}

impl Standing {
    /// Every standing.
    pub const ALL: [Self; 6] = [
        Self::Pending,
        Self::Active,
        Self::Blocked,
        Self::Failed,
        Self::Done,
        Self::Skipped,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
            Self::Done => "done",
            Self::Skipped => "skipped",
        }
    }

    /// Whether there is still something to do.
    pub fn is_open(self) -> bool {
        !matches!(self, Self::Done | Self::Skipped)
    }
}

impl FromStr for Standing {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|standing| standing.as_str() == text)
            .ok_or(())
    }
}

/// What a task looks like from outside. Never stored: it follows from its standing and from what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// It is finished, with or without anybody assigned.
    Done,
    /// It is left out.
    Skipped,
    /// Something it needs is open, or whoever works on it waits.
    Blocked,
    /// Somebody works on it, or on something in it.
    Active,
    /// It was tried and could not be finished.
    Failed,
    /// It can start.
    Pending,
}

impl TaskState {
    /// The state of a task with this standing; `waits` if something that it or what it lies in needs is open, `begun`
    /// if something in it is under way or over.
    pub fn of(standing: Standing, waits: bool, begun: bool) -> Self {
        match standing {
            Standing::Done => Self::Done,
            Standing::Skipped => Self::Skipped,
            Standing::Blocked => Self::Blocked,
            _ if waits => Self::Blocked,
            Standing::Active => Self::Active,
            Standing::Failed => Self::Failed,
            Standing::Pending if begun => Self::Active,
            Standing::Pending => Self::Pending,
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
