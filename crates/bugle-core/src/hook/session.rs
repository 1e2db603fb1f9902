//! The memory of a client's session between hooks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, TaskId, Timestamp};

/// The memory of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMemory {
    /// A compaction has ended, and no wake-up has followed yet.
    pub unwoken: bool,
    /// A wake-up followed a compaction whose end the client has not reported yet.
    pub woken_early: bool,
    /// How often the agent was blocked from stopping since its last progress.
    pub stops: u32,
    /// The key of its open work when it was last blocked from stopping.
    pub stopped_at: Option<String>,
    /// When the user last typed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_spoke: Option<Timestamp>,
    /// The last text with which Bugle made the agent continue, if its client would report that as a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_with: Option<ContentHash>,
    /// The last message that had called it by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_at: Option<u64>,
    /// Whether the sub-agent was asked to run the command that starts its work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_to_begin: bool,
    /// When the sub-agent started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// The parent task of the client's todo list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<TaskId>,
    /// The tasks of the client's todo list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub listed: BTreeMap<String, TaskId>,
}

/// Maximum number of open runs in a session. Every tool call checks each of them.
pub const MAX_OPEN_RUNS: u64 = 20;

/// How long a run must be unchanged before silent hooks mean something, in milliseconds. One shell call can change it
/// several times.
const MAX_CALL_LENGTH: i64 = 60_000;

/// Whether the hooks of a session are silent: none ran since its run last changed, although the agent must have used
/// a tool to change it now.
pub fn hooks_are_quiet(last_hook: Timestamp, run_changed: Timestamp, now: Timestamp) -> bool {
    last_hook < run_changed && now.0.saturating_sub(run_changed.0) > MAX_CALL_LENGTH
}

/// Facts about the folder of a new session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderFacts {
    /// Whether Bugle was used there before.
    pub is_known: bool,
    /// Whether it is a repository.
    pub is_repository: bool,
    /// Whether it has traces of Bugle: its folder, or the project settings of a client.
    pub has_traces: bool,
}

impl FolderFacts {
    /// Whether to record a session there. If a client is set up for all projects, not every folder is a project.
    pub fn is_workplace(self) -> bool {
        self.is_known || self.is_repository || self.has_traces
    }
}

impl SessionMemory {
    /// A sub-agent stops before it started its work. Returns whether to ask it to start. It is asked once, because it
    /// may have another purpose.
    pub fn ask_to_begin(&mut self) -> bool {
        !std::mem::replace(&mut self.asked_to_begin, true)
    }

    /// A compaction is about to start. It may still be aborted.
    pub fn compaction_begins(&mut self) {
        self.woken_early = false;
    }

    /// A compaction has ended. Some clients report that before they request a wake-up, some after.
    pub fn compaction_ends(&mut self) {
        self.unwoken = !self.woken_early;
        self.woken_early = false;
    }

    /// A compaction's wake-up was given.
    pub fn woken(&mut self) {
        self.woken_early = !self.unwoken;
        self.unwoken = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_up_counts_before_and_after_the_end_of_a_compaction() {
        for woken_first in [true, false] {
            let mut memory = SessionMemory::default();
            for _ in 0..3 {
                memory.compaction_begins();
                if woken_first {
                    memory.woken();
                    memory.compaction_ends();
                } else {
                    memory.compaction_ends();
                    memory.woken();
                }
                assert!(!memory.unwoken);
            }
        }
    }

    #[test]
    fn a_compaction_without_a_wake_up_is_remembered() {
        let mut memory = SessionMemory::default();
        memory.compaction_begins();
        memory.woken();
        memory.compaction_ends();
        memory.compaction_begins();
        memory.compaction_ends();
        assert!(memory.unwoken);
        memory.woken();
        assert!(!memory.unwoken);
    }

    #[test]
    fn a_folder_without_traces_is_not_a_workplace() {
        for bits in 0..8_u8 {
            let around = FolderFacts {
                is_known: bits & 1 != 0,
                is_repository: bits & 2 != 0,
                has_traces: bits & 4 != 0,
            };
            assert_eq!(around.is_workplace(), bits != 0);
        }
    }

    #[test]
    fn an_aborted_compaction_needs_no_wake_up() {
        let mut memory = SessionMemory::default();
        memory.compaction_begins();
        assert!(!memory.unwoken);
    }

    #[test]
    fn hooks_are_quiet_if_none_ran_since_the_run_changed() {
        let hour = 3_600_000;
        let quiet = |hook, changed, now| hooks_are_quiet(Timestamp(hook), Timestamp(changed), Timestamp(now));
        assert!(quiet(1, 2, hour));
        assert!(!quiet(3, 2, hour), "one was called");
        assert!(!quiet(1, 2, 1_000), "one shell call may have done both");
    }
}
