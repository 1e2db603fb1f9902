//! Other machines whose agents use the same shared store.

use serde::{Deserialize, Serialize};

/// Another machine, on which an agent runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentHost {
    /// The machine's name.
    pub name: String,
    /// Seconds since the machine's supervisor last reported; `None` while it is reporting.
    pub silent_seconds: Option<i64>,
}

impl AgentHost {
    /// Whether the machine's supervisor has stopped reporting.
    pub fn is_gone(&self) -> bool {
        self.silent_seconds.is_some()
    }
}
