//! State that Bugle keeps about a client session between hooks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ChildToken, ContentHash, TaskId, Timestamp};
use crate::wake::WakeReason;

/// Bugle's memory of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionMemory {
    /// Whether a compaction has ended and its wake-up was not delivered yet.
    pub unwoken: bool,
    /// Whether a wake-up was delivered before the client reported the end of the compaction.
    pub woken_early: bool,
    /// When the agent last lost its context: the start of the session, a clear or a compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgot_at: Option<Timestamp>,
    /// Why the session started, until the agent gets its wake-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<WakeReason>,
    /// The number of stops blocked since the agent's last progress.
    pub stops: u32,
    /// The key of the open work when a stop was last blocked.
    pub stopped_at: Option<String>,
    /// When the user last typed something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_spoke: Option<Timestamp>,
    /// The hash of the last text that made the agent continue, if the client would report that text as a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_with: Option<ContentHash>,
    /// The sequence number of the latest message that called the agent, as of its last attempt to stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called_at: Option<u64>,
    /// Whether the sub-agent was already asked to run its start command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_to_begin: bool,
    /// The sub-agents that have not returned yet, for a client whose hooks do not mention sub-agents.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub delegations: BTreeMap<String, Delegation>,
    /// When the sub-agent started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_at: Option<Timestamp>,
    /// The sub-agents at work in the background, each with the work that it was given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub launched: BTreeMap<String, ChildToken>,
    /// The runs that waited for the user's answer when the agent last stopped, each with its version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub asked: BTreeMap<String, u64>,
    /// The parent task for the client's to-do list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<TaskId>,
    /// The tasks created from the client's to-do list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub listed: BTreeMap<String, TaskId>,
}

/// A call that started a sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delegation {
    /// The sub-agent's type.
    pub kind: Option<String>,
    /// The visits and children that the sub-agent's prompt names.
    pub tokens: Vec<String>,
}

/// Maximum number of open runs in a session. Every tool call checks all of them, so more would slow down hooks.
pub const MAX_OPEN_RUNS: u64 = 20;

/// Assumed maximum duration of a tool call, in milliseconds. Hooks run only before and after a call, but the call
/// itself can change a run. So Bugle waits this long for a hook after a change.
const MAX_CALL_LENGTH: i64 = 60_000;

/// Whether a session's hooks are silent: no hook has run since the run's last change, and the tool call that made the
/// change must have ended.
pub fn hooks_are_quiet(last_hook: Timestamp, run_changed: Timestamp, now: Timestamp) -> bool {
    last_hook < run_changed && now.0.saturating_sub(run_changed.0) > MAX_CALL_LENGTH
}

/// Facts about a new session's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FolderFacts {
    /// Whether Bugle was used in the folder before.
    pub is_known: bool,
    /// Whether the folder is a repository.
    pub is_repository: bool,
    /// Whether the folder has traces of Bugle: Bugle's folder, or a client's project settings.
    pub has_traces: bool,
}

impl FolderFacts {
    /// Whether to record a session in this folder. A client set up for all projects also runs in folders that are not
    /// projects.
    pub fn is_workplace(self) -> bool {
        self.is_known || self.is_repository || self.has_traces
    }
}

impl SessionMemory {
    /// Call this when a sub-agent stops before it has started its work. Returns whether to ask the sub-agent to start.
    /// Bugle asks only once, because the sub-agent may have been started for something else.
    pub fn ask_to_begin(&mut self) -> bool {
        !std::mem::replace(&mut self.asked_to_begin, true)
    }

    /// Whether a sub-agent in the background was given this work.
    pub fn has_launched(&self, work: &ChildToken) -> bool {
        self.launched.values().any(|given| given == work)
    }

    /// Call this before a compaction, which may still be aborted.
    pub fn compaction_begins(&mut self, now: Timestamp) {
        self.woken_early = false;
        self.forgot_at = Some(now);
    }

    /// Call this after a compaction. Some clients report its end before they request a wake-up, others after.
    pub fn compaction_ends(&mut self, now: Timestamp) {
        self.forgot_at = Some(now);
        self.unwoken = !self.woken_early;
        self.woken_early = false;
    }

    /// Whether the agent still has what it was shown at this time.
    pub fn remembers(&self, shown: Timestamp) -> bool {
        self.forgot_at.is_none_or(|forgot| forgot < shown)
    }

    /// Call this when a compaction's wake-up was delivered.
    pub fn woken(&mut self) {
        self.woken_early = !self.unwoken;
        self.unwoken = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wake_up_counts_before_or_after_the_end_of_a_compaction() {
        for woken_first in [true, false] {
            let mut memory = SessionMemory::default();
            for _ in 0..3 {
                memory.compaction_begins(Timestamp(1));
                if woken_first {
                    memory.woken();
                    memory.compaction_ends(Timestamp(2));
                } else {
                    memory.compaction_ends(Timestamp(2));
                    memory.woken();
                }
                assert!(!memory.unwoken);
            }
        }
    }

    #[test]
    fn a_missing_wake_up_after_a_compaction_is_remembered() {
        let mut memory = SessionMemory::default();
        memory.compaction_begins(Timestamp(1));
        memory.woken();
        memory.compaction_ends(Timestamp(2));
        memory.compaction_begins(Timestamp(1));
        memory.compaction_ends(Timestamp(2));
        assert!(memory.unwoken);
        memory.woken();
        assert!(!memory.unwoken);
    }

    #[test]
    fn a_folder_without_any_trace_is_not_recorded() {
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
        memory.compaction_begins(Timestamp(1));
        assert!(!memory.unwoken);
    }

    #[test]
    fn hooks_are_silent_if_none_ran_since_the_run_changed() {
        let hour = 3_600_000;
        let quiet = |hook, changed, now| hooks_are_quiet(Timestamp(hook), Timestamp(changed), Timestamp(now));
        assert!(quiet(1, 2, hour));
        assert!(!quiet(3, 2, hour), "a hook has run since the change");
        assert!(!quiet(1, 2, 1_000), "one shell call may have run both");
    }
}
