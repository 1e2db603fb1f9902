//! Which session owns a run or a task, and which claims on it are granted.
//!
//! Work of an ended session goes to the next session. Work that was started outside any session goes to the agent that
//! continues it. Work of a session that may still be active changes hands only by an explicit takeover: silence does not
//! prove that a session has ended.

use crate::agent::AgentStatus;
use crate::wake::WakeReason;

/// What is known about the session that owns some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SessionFacts {
    /// Whether its client has reported the end of the session.
    pub has_ended: bool,
    /// The state of its agent, if known.
    pub status: Option<AgentStatus>,
    /// Whether Bugle started its client and resumes the session when there is work for it.
    pub is_supervised: bool,
}

/// Who owns a run or a task, as another session sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ownership {
    /// No session: the work was started outside any.
    Unowned,
    /// A session that has ended.
    Ended,
    /// A session that may still be working on it.
    MaybeActive,
}

/// How an agent or user claims work of another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Claim {
    /// By an explicit takeover.
    TakeOver,
    /// By continuing it: asking for its step, or reporting one.
    Continue,
    /// By waking up in the same folder, for this reason, with no work of its own.
    WakeUp(WakeReason),
}

impl Ownership {
    /// The ownership of a session's work.
    pub fn of(session: SessionFacts) -> Self {
        let is_settled = matches!(
            session.status,
            Some(AgentStatus::Archived | AgentStatus::Complete)
        );
        let has_failed = session.status == Some(AgentStatus::Failed);
        // A supervised client ends after every turn, and is restarted after a crash.
        let has_ended = is_settled || (!session.is_supervised && (session.has_ended || has_failed));
        if has_ended { Self::Ended } else { Self::MaybeActive }
    }

    /// Whether the claim succeeds.
    pub fn grants(self, claim: Claim) -> bool {
        match (self, claim) {
            (_, Claim::TakeOver) | (Self::Unowned | Self::Ended, Claim::Continue) => true,
            // A compaction or prompt wakes an agent that is busy with something else.
            (Self::Ended, Claim::WakeUp(reason)) => matches!(
                reason,
                WakeReason::Startup | WakeReason::Clear | WakeReason::Resume
            ),
            // The next session was not opened for a run that a person started in a shell.
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
    fn only_work_of_an_ended_session_is_ended() {
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
    fn work_of_an_active_session_goes_only_to_an_explicit_takeover() {
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
