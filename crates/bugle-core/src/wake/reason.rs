//! Why an agent wakes up.

use serde::{Deserialize, Serialize};

/// Why an agent wakes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WakeReason {
    /// A new session started.
    Startup,
    /// A session resumed with its full context.
    Resume,
    /// A session was cleared.
    Clear,
    /// A session was compacted: only a summary of its context is left.
    Compact,
    /// A message mentions the agent.
    Mention,
    /// An event happened that the agent is waiting for.
    Event,
    /// A sub-agent started.
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
    /// Whether the agent still has its context, so that it needs only new information.
    pub fn remembers(self) -> bool {
        matches!(self, Self::Resume | Self::Mention | Self::Event)
    }
}
