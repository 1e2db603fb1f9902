//! Why an agent wakes up.

use serde::{Deserialize, Serialize};

/// Why an agent wakes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// A session starts.
    Startup,
    /// A session resumes with its full context.
    Resume,
    /// A session was cleared.
    Clear,
    /// A session was compacted and has lost what is not in the summary.
    Compact,
    /// It received a message.
    Mention,
    /// An event that it waits for happened.
    Event,
    /// It starts as a sub-agent.
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
    /// Whether the agent still has its context, so that it needs only what is new.
    pub fn remembers(self) -> bool {
        matches!(self, Self::Resume | Self::Mention | Self::Event)
    }
}
