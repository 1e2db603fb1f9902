//! The memory of a client's session between two hooks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ContentHash, TaskId, Timestamp};

/// What is remembered of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMemory {
    /// A compaction is over, and no wake-up followed it yet.
    pub unwoken: bool,
    /// A wake-up followed a compaction that the client has not called over yet.
    pub woken_early: bool,
    /// How often the agent was kept from stopping since it last got on.
    pub stops: u32,
    /// Where work stood when it was last kept from stopping.
    pub stopped_at: Option<String>,
    /// When the user last typed something for its agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_spoke: Option<Timestamp>,
    /// The last text that Bugle gave the agent to go on with, where its client would report that as a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_with: Option<ContentHash>,
    /// The last message that had called it by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_at: Option<u64>,
    /// A sub-agent was asked for the command that begins its work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_to_begin: bool,
    /// When a sub-agent began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// The task in which those lie that stand for the client's own list of things to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<TaskId>,
    /// Those tasks.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub listed: BTreeMap<String, TaskId>,
}

/// How many open runs a session may have. Each of them is looked at before every tool.
pub const MAX_OPEN_RUNS: u64 = 20;

/// How long a run must not have changed before silent hooks mean something, in milliseconds. One call of a shell can change
/// it several times.
const MAX_CALL_LENGTH: i64 = 60_000;

/// Whether the hooks of a session have gone quiet: none was called since its run last changed, although the agent must have
/// used a tool to change it now.
pub fn hooks_are_quiet(last_hook: Timestamp, run_changed: Timestamp, now: Timestamp) -> bool {
    last_hook < run_changed && now.0.saturating_sub(run_changed.0) > MAX_CALL_LENGTH
}

/// What is known of a place in which a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderFacts {
    /// Whether Bugle was used there before.
    pub is_known: bool,
    /// Whether it is a repository.
    pub is_repository: bool,
    /// Whether something of Bugle's lies there: its folder, or a client that was set up for this place.
    pub has_traces: bool,
}

impl FolderFacts {
    /// Whether a session that begins there is kept. Where a client is set up for all places, not every folder in which
    /// a user opens it is a project.
    pub fn is_workplace(self) -> bool {
        self.is_known || self.is_repository || self.has_traces
    }
}

impl SessionMemory {
    /// A sub-agent stops before it began its work. Says whether it is asked to begin: that is done once, because it may have
    /// been sent for something else.
    pub fn ask_to_begin(&mut self) -> bool {
        !std::mem::replace(&mut self.asked_to_begin, true)
    }

    /// A compaction is about to begin. It may yet come to nothing.
    pub fn compaction_begins(&mut self) {
        self.woken_early = false;
    }

    /// A compaction is over. Some clients say so before they ask for a wake-up, some after.
    pub fn compaction_ends(&mut self) {
        self.unwoken = !self.woken_early;
        self.woken_early = false;
    }

    /// A wake-up is given because of a compaction.
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
    fn a_folder_without_any_sign_is_not_worked_in() {
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
    fn a_compaction_that_came_to_nothing_calls_for_nothing() {
        let mut memory = SessionMemory::default();
        memory.compaction_begins();
        assert!(!memory.unwoken);
    }

    #[test]
    fn hooks_are_quiet_when_none_was_called_since_the_run_changed() {
        let hour = 3_600_000;
        let quiet = |hook, changed, now| hooks_are_quiet(Timestamp(hook), Timestamp(changed), Timestamp(now));
        assert!(quiet(1, 2, hour));
        assert!(!quiet(3, 2, hour), "one was called");
        assert!(!quiet(1, 2, 1_000), "the same call of a shell may have done both");
    }
}
