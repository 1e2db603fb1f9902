//! Why an agent wakes up.

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
    /// It received a message.
    Mention,
    /// Something happened that it waits for.
    Event,
    /// It is a sub-agent, and begins.
    Subagent,
}

enum_text!(WakeReason {
    Startup = "startup",
    Resume = "resume",
    Clear = "clear",
    Compact = "compact",
    Mention = "mention",
    Event = "event",
    Subagent = "subagent",
});

impl WakeReason {
    /// Whether the agent still has what it knew, so that only what is new has to be said.
    pub fn remembers(self) -> bool {
        matches!(self, Self::Resume | Self::Mention | Self::Event)
    }
}
