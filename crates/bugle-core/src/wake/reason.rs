//! Why an agent wakes up, and what that calls for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Why an agent wakes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// A session begins.
    Startup,
    /// A session goes on with all it knew.
    Resume,
    /// A session was emptied.
    Clear,
    /// A session was compacted, and has lost what was not in the summary.
    Compact,
    /// Somebody spoke to it.
    Mention,
    /// Something happened that it waits for.
    Event,
    /// It is a sub-agent, and begins.
    Subagent,
}

impl WakeReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Startup,
        Self::Resume,
        Self::Clear,
        Self::Compact,
        Self::Mention,
        Self::Event,
        Self::Subagent,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Mention => "mention",
            Self::Event => "event",
            Self::Subagent => "subagent",
        }
    }

    /// Whether the agent still has what it knew, so that only what is new has to be said.
    pub fn remembers(self) -> bool {
        matches!(self, Self::Resume | Self::Mention | Self::Event)
    }
}

impl FromStr for WakeReason {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|reason| reason.as_str() == text)
            .ok_or(())
    }
}
