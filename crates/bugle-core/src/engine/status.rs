//! Whether a run goes on.

use serde::{Deserialize, Serialize};

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// An agent is at work.
    Active,
    /// A person has to answer.
    Waiting,
    /// Put aside.
    Paused,
    /// At its end.
    Completed,
    /// Given up.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] = [
        Self::Active,
        Self::Waiting,
        Self::Paused,
        Self::Completed,
        Self::Cancelled,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether anything can still happen.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Active | Self::Waiting | Self::Paused)
    }
}

impl std::str::FromStr for Status {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(())
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
