//! Ownership: the session that owns a run or task, and the agents and users that may claim the run or task.
//!
//! When a session ends, its work passes to the next session. Work that was started outside any session passes to the
//! agent that continues it. If a session may still be active, another session gets its work only by an explicit
//! takeover: silence does not prove that a session has ended.

use crate::agent::AgentStatus;
use crate::wake::WakeReason;

/// Facts about the session that owns a run or task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SessionFacts {
    /// Whether the client has reported the end of the session.
    pub has_ended: bool,
    /// The status of the session's agent, if known.
    pub status: Option<AgentStatus>,
    /// Whether Bugle started the client, and resumes the session when there is work for it.
    pub is_supervised: bool,
}

/// The owner of a run or task, as seen by another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ownership {
    /// No session: the work was started outside any session.
    Unowned,
    /// A session that has ended.
    Ended,
    /// A session that may still be active.
    MaybeActive,
}

/// How an agent or user claims another session's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// By an explicit takeover.
    TakeOver,
    /// By continuing the work: requesting its current step, or reporting a step.
    Continue,
    /// By waking up for this reason in the same folder, if the claiming session has no work of its own.
    WakeUp(WakeReason),
}

impl Ownership {
    /// The ownership of a session's work, judged by whether the session has ended.
    pub fn of(session: SessionFacts) -> Self {
        let is_settled = matches!(
            session.status,
            Some(AgentStatus::Archived | AgentStatus::Complete)
        );
        let has_failed = session.status == Some(AgentStatus::Failed);
        // A supervised client exits after every turn, and is restarted after a crash.
        let has_ended = is_settled || (!session.is_supervised && (session.has_ended || has_failed));
        if has_ended { Self::Ended } else { Self::MaybeActive }
    }

    /// Whether the work can be claimed in this way.
    pub fn grants(self, claim: Claim) -> bool {
        match (self, claim) {
            (_, Claim::TakeOver) | (Self::Unowned | Self::Ended, Claim::Continue) => true,
            // A compaction or prompt wakes an agent that is already working on something else.
            (Self::Ended, Claim::WakeUp(reason)) => matches!(
                reason,
                WakeReason::Startup | WakeReason::Clear | WakeReason::Resume
            ),
            // A new session must not claim a run that a person started in a shell: the session was not opened for that
            // run.
            (Self::Unowned | Self::MaybeActive, Claim::WakeUp(_)) | (Self::MaybeActive, Claim::Continue) => {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ended_session_releases_its_work() {
        let ended = SessionFacts {
            has_ended: true,
            ..SessionFacts::default()
        };
        assert_eq!(Ownership::of(SessionFacts::default()), Ownership::MaybeActive);
        assert_eq!(Ownership::of(ended), Ownership::Ended);
        for status in AgentStatus::ALL {
            let session = SessionFacts {
                status: Some(status),
                ..SessionFacts::default()
            };
            let has_ended = matches!(
                status,
                AgentStatus::Archived | AgentStatus::Complete | AgentStatus::Failed
            );
            assert_eq!(
                Ownership::of(session) == Ownership::Ended,
                has_ended,
                "{status:?}"
            );
            let supervised = SessionFacts {
                is_supervised: true,
                has_ended: true,
                ..session
            };
            let is_settled = matches!(status, AgentStatus::Archived | AgentStatus::Complete);
            assert_eq!(
                Ownership::of(supervised) == Ownership::Ended,
                is_settled,
                "{status:?}"
            );
        }
    }

    #[test]
    fn work_in_an_active_session_changes_hands_only_by_takeover() {
        let all = [Ownership::Unowned, Ownership::Ended, Ownership::MaybeActive];
        for ownership in all {
            assert!(ownership.grants(Claim::TakeOver));
            assert_eq!(
                ownership.grants(Claim::Continue),
                ownership != Ownership::MaybeActive
            );
            for reason in WakeReason::ALL {
                let given = ownership.grants(Claim::WakeUp(reason));
                let begins = matches!(
                    reason,
                    WakeReason::Startup | WakeReason::Clear | WakeReason::Resume
                );
                let wanted = match ownership {
                    Ownership::Ended => begins,
                    Ownership::Unowned | Ownership::MaybeActive => false,
                };
                assert_eq!(given, wanted, "{ownership:?} {reason:?}");
            }
        }
    }
}
