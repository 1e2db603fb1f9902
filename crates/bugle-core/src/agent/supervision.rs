//! What the supervisor does about an agent: whether to wake it, leave it, restart it after a crash, and when to stop
//! trying. It looks at one agent at a time and takes one action; then it looks again.

use super::{AgentState, AgentStatus, Contact, Reaction};
use crate::id::Timestamp;

/// How often an agent that dies at its work is started again.
pub const MAX_RECOVERIES: u32 = 3;
/// How long the first recovery waits; each one after it waits twice as long.
const FIRST_WAIT_MILLISECONDS: i64 = 2_000;

/// How far a prompt has come on its way to an agent's client. Each step is written down before the next one is taken, so
/// that a supervisor started after a crash neither loses nor repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Its text is made, what it tells counts as read, and no process has it.
    Taken,
    /// A process was started with it; the client has not said that it has it.
    Carried,
    /// The client has it.
    Confirmed,
    /// Its process was asked to end before the client said that it has it. Perhaps it still says so; if not, what it told
    /// is unread again, and comes with the next message.
    Stopped,
    /// The same, because the supervisor ends: what it told comes as soon as there is another one.
    Suspended,
    /// The client could not be started with it; what it told is unread again.
    Failed,
    /// Its process is over; the supervisor has not handled that.
    Exited,
    /// There is nothing left to do about it.
    Settled,
}

enum_text!(Delivery {
    Taken = "taken",
    Carried = "carried",
    Confirmed = "confirmed",
    Stopped = "stopped",
    Suspended = "suspended",
    Failed = "failed",
    Exited = "exited",
    Settled = "settled",
});

impl Delivery {
    /// What becomes of it when the client says that it has it.
    #[must_use]
    pub fn after_began(self) -> Self {
        match self {
            Self::Carried => Self::Confirmed,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }

    /// Whether its process was asked to end before the client had it.
    pub fn is_stopped(self) -> bool {
        matches!(self, Self::Stopped | Self::Suspended)
    }

    /// What becomes of it when its process is over: a client that never had it could not be started with it, unless the
    /// process died before the client could say so.
    #[must_use]
    pub fn after_exit(self, died: bool) -> Self {
        match self {
            Self::Carried if died => Self::Taken,
            Self::Carried => Self::Failed,
            Self::Confirmed => Self::Exited,
            Self::Stopped | Self::Suspended => Self::Settled,
            other => other,
        }
    }
}

/// The process that an agent's row names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProcessState {
    /// It names none.
    None,
    /// It is there.
    Alive,
    /// It is gone, and has not said how it ended.
    Gone,
}

/// All that decides what is to be done about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all combinations occur"
)]
pub struct Situation {
    /// How it stands.
    pub state: AgentState,
    /// How far its last prompt has come, if it had one.
    pub delivery: Option<Delivery>,
    /// Its process.
    pub process: ProcessState,
    /// Whether it was spoken to in a way that wakes, and has not read it; after a prompt that failed, only what came later
    /// counts.
    pub is_called: bool,
    /// Whether its session is open in a client that others look after: there it hears of everything by itself.
    pub is_open_elsewhere: bool,
    /// Whether it is known how to take its session up again.
    pub can_be_resumed: bool,
    /// Whether a run or task of it is open.
    pub has_open_work: bool,
    /// How often it was recovered.
    pub recoveries: u32,
    /// When that, or its end, was.
    pub since: Timestamp,
}

/// What is to be done about an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisorAction {
    /// Nothing.
    Nothing,
    /// Its process is gone without a word: that is written down.
    RecordDeath,
    /// The prompt that is made for it is given to its client.
    Deliver,
    /// A prompt is made of what it has not read, and given to its client.
    Wake,
    /// The agent or user that started it receives a report of how it ended.
    ReportEnd,
    /// It died at work: a prompt is made of what it left, and given to its client in a new session.
    Recover,
    /// The same, but not before this moment.
    RecoverAt(Timestamp),
    /// It crashed too often: the user is notified.
    AbandonRecovery,
}

/// What is to be done about an agent now.
pub fn next_action(seen: &Situation, now: Timestamp) -> SupervisorAction {
    match (seen.process, seen.delivery) {
        (ProcessState::Gone, _) => return SupervisorAction::RecordDeath,
        (ProcessState::Alive, _) => return SupervisorAction::Nothing,
        (ProcessState::None, Some(Delivery::Taken)) => return SupervisorAction::Deliver,
        (ProcessState::None, Some(Delivery::Exited)) => return after_exit(seen, now),
        (ProcessState::None, _) => {}
    }
    let wakes = seen.is_called
        && seen.can_be_resumed
        && !seen.is_open_elsewhere
        && seen.state.status != AgentStatus::Archived
        && seen.state.reaction(Contact::Message) == Reaction::Wake;
    if wakes {
        SupervisorAction::Wake
    } else {
        SupervisorAction::Nothing
    }
}

fn after_exit(seen: &Situation, now: Timestamp) -> SupervisorAction {
    if seen.state.status != AgentStatus::Failed || !seen.has_open_work {
        return SupervisorAction::ReportEnd;
    }
    if seen.recoveries >= MAX_RECOVERIES {
        return SupervisorAction::AbandonRecovery;
    }
    let wait = FIRST_WAIT_MILLISECONDS << seen.recoveries;
    let due = Timestamp(seen.since.0.saturating_add(wait));
    // A clock that was set back must not make it wait for longer than it was to.
    if now >= due || now < seen.since {
        SupervisorAction::Recover
    } else {
        SupervisorAction::RecoverAt(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    /// Idle, with nothing to do.
    fn idle() -> Situation {
        Situation {
            state: AgentState::new(false),
            delivery: None,
            process: ProcessState::None,
            is_called: false,
            is_open_elsewhere: false,
            can_be_resumed: true,
            has_open_work: false,
            recoveries: 0,
            since: NOW,
        }
    }

    /// Died at work a moment ago.
    fn dead() -> Situation {
        Situation {
            state: AgentState {
                status: AgentStatus::Failed,
                asks: false,
                in_turn: false,
            },
            delivery: Some(Delivery::Exited),
            has_open_work: true,
            ..idle()
        }
    }

    #[test]
    fn only_an_idle_agent_that_is_called_is_woken() {
        assert_eq!(next_action(&idle(), NOW), SupervisorAction::Nothing);
        let called = Situation {
            is_called: true,
            ..idle()
        };
        assert_eq!(next_action(&called, NOW), SupervisorAction::Wake);
        let busy = AgentState::new(true);
        let asks = AgentState {
            status: AgentStatus::Blocked,
            asks: true,
            in_turn: false,
        };
        let others = [
            Situation {
                state: busy,
                ..called
            },
            Situation {
                state: asks,
                ..called
            },
            Situation {
                is_open_elsewhere: true,
                ..called
            },
            Situation {
                can_be_resumed: false,
                ..called
            },
            Situation {
                process: ProcessState::Alive,
                ..called
            },
        ];
        for other in others {
            assert_eq!(next_action(&other, NOW), SupervisorAction::Nothing, "{other:?}");
        }
    }

    #[test]
    fn what_was_made_is_sent_before_anything_else_is_made() {
        for is_called in [false, true] {
            let taken = Situation {
                delivery: Some(Delivery::Taken),
                is_called,
                ..idle()
            };
            assert_eq!(next_action(&taken, NOW), SupervisorAction::Deliver);
        }
    }

    #[test]
    fn a_process_that_is_there_is_let_be_and_one_that_is_gone_is_buried() {
        for delivery in Delivery::ALL {
            for (process, wanted) in [
                (ProcessState::Alive, SupervisorAction::Nothing),
                (ProcessState::Gone, SupervisorAction::RecordDeath),
            ] {
                let seen = Situation {
                    delivery: Some(delivery),
                    process,
                    is_called: true,
                    ..idle()
                };
                assert_eq!(next_action(&seen, NOW), wanted);
            }
        }
    }

    #[test]
    fn a_crashed_agent_is_recovered_three_times_and_ever_later() {
        let mut waits = Vec::new();
        for recoveries in 0..MAX_RECOVERIES {
            let seen = Situation { recoveries, ..dead() };
            let SupervisorAction::RecoverAt(due) = next_action(&seen, NOW) else {
                panic!("{seen:?}");
            };
            assert_eq!(next_action(&seen, due), SupervisorAction::Recover);
            waits.push(due.0 - NOW.0);
        }
        assert!(waits.is_sorted_by(|one, next| next > one), "{waits:?}");
        let seen = Situation {
            recoveries: MAX_RECOVERIES,
            ..dead()
        };
        assert_eq!(next_action(&seen, NOW), SupervisorAction::AbandonRecovery);
    }

    #[test]
    fn a_clock_that_jumps_back_delays_nothing() {
        assert_eq!(next_action(&dead(), Timestamp(0)), SupervisorAction::Recover);
    }

    #[test]
    fn an_agent_that_died_with_nothing_open_or_ended_well_is_reported() {
        let nothing_open = Situation {
            has_open_work: false,
            ..dead()
        };
        let well = Situation {
            state: AgentState::new(false),
            ..dead()
        };
        for seen in [nothing_open, well] {
            assert_eq!(next_action(&seen, NOW), SupervisorAction::ReportEnd);
        }
    }

    #[test]
    fn only_what_the_client_never_had_goes_out_again() {
        for state in Delivery::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
            let again = state.after_exit(true) == Delivery::Taken;
            assert_eq!(again, matches!(state, Delivery::Carried | Delivery::Taken));
        }
        assert_eq!(Delivery::Carried.after_exit(false), Delivery::Failed);
        assert_eq!(Delivery::Confirmed.after_exit(true), Delivery::Exited);
        assert_eq!(Delivery::Carried.after_began(), Delivery::Confirmed);
        for stopped in [Delivery::Stopped, Delivery::Suspended] {
            assert!(stopped.is_stopped());
            assert_eq!(stopped.after_began(), Delivery::Settled, "it has it");
            assert_eq!(stopped.after_exit(false), Delivery::Settled);
            assert_eq!(stopped.after_exit(true), Delivery::Settled);
        }
        assert_eq!("done".parse::<Delivery>(), Err(()));
    }
}
