//! Whose work a run or a task is, and who may go on with it.
//!
//! Work whose session is over goes to the next session. Work that was started outside any session is offered, and goes to
//! the agent that continues it. What a session has that may still be at it is taken only by an agent or user who says so:
//! that it has been silent for long is no proof that it is gone.

use super::AgentStatus;
use crate::wake::WakeReason;

/// What is known of a session that has some work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct KnownSession {
    /// Whether its client has said that it is over.
    pub has_ended: bool,
    /// How its agent stands, if that is known.
    pub status: Option<AgentStatus>,
    /// Whether Bugle started its client, and takes the session up again when there is something for it.
    pub is_looked_after: bool,
}

/// Who has a run or a task, seen by somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holding {
    /// Nobody: it was begun outside any session.
    Nobody,
    /// A session that is over.
    Gone,
    /// A session that may still be at it.
    Perhaps,
}

/// How somebody comes to work that another has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Approach {
    /// It says that it takes it over.
    TakesOver,
    /// It goes on with it: it asks for its step, or reports one.
    GoesOn,
    /// It wakes up here, for this reason, and has nothing of its own.
    Wakes(WakeReason),
}

impl Holding {
    /// Of a session of which this is known.
    pub fn of(known: KnownSession) -> Self {
        let is_settled = matches!(known.status, Some(AgentStatus::Archived | AgentStatus::Complete));
        let has_failed = known.status == Some(AgentStatus::Failed);
        // The end of a client that Bugle started is only the end of a turn; and one that died is taken up again.
        let is_over = is_settled || (!known.is_looked_after && (known.has_ended || has_failed));
        if is_over { Self::Gone } else { Self::Perhaps }
    }

    /// Whether somebody who comes to it so gets it.
    pub fn goes_to(self, approach: Approach) -> bool {
        match (self, approach) {
            (_, Approach::TakesOver) | (Self::Nobody | Self::Gone, Approach::GoesOn) => true,
            // Whoever is in the middle of something is not stopped from it by what another left.
            (Self::Gone, Approach::Wakes(reason)) => matches!(
                reason,
                WakeReason::Startup | WakeReason::Clear | WakeReason::Resume
            ),
            // A run that a person started in a shell is not why the next session is opened.
            (Self::Nobody | Self::Perhaps, Approach::Wakes(_)) | (Self::Perhaps, Approach::GoesOn) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certainly_over_is_gone() {
        let ended = KnownSession {
            has_ended: true,
            ..KnownSession::default()
        };
        assert_eq!(Holding::of(KnownSession::default()), Holding::Perhaps);
        assert_eq!(Holding::of(ended), Holding::Gone);
        for status in AgentStatus::ALL {
            let stands = KnownSession {
                status: Some(status),
                ..KnownSession::default()
            };
            let is_over = matches!(
                status,
                AgentStatus::Archived | AgentStatus::Complete | AgentStatus::Failed
            );
            assert_eq!(Holding::of(stands) == Holding::Gone, is_over, "{status:?}");
            let looked_after = KnownSession {
                is_looked_after: true,
                has_ended: true,
                ..stands
            };
            let is_settled = matches!(status, AgentStatus::Archived | AgentStatus::Complete);
            assert_eq!(
                Holding::of(looked_after) == Holding::Gone,
                is_settled,
                "{status:?}"
            );
        }
    }

    #[test]
    fn nobody_loses_what_they_may_be_at_to_somebody_who_does_not_say_so() {
        let all = [Holding::Nobody, Holding::Gone, Holding::Perhaps];
        for holding in all {
            assert!(holding.goes_to(Approach::TakesOver));
            assert_eq!(holding.goes_to(Approach::GoesOn), holding != Holding::Perhaps);
            for reason in WakeReason::ALL {
                let given = holding.goes_to(Approach::Wakes(reason));
                let begins = matches!(
                    reason,
                    WakeReason::Startup | WakeReason::Clear | WakeReason::Resume
                );
                let wanted = match holding {
                    Holding::Gone => begins,
                    Holding::Nobody | Holding::Perhaps => false,
                };
                assert_eq!(given, wanted, "{holding:?} {reason:?}");
            }
        }
    }
}
