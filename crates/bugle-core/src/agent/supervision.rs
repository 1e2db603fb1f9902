//! What the supervisor does about an agent: whom it wakes, whom it lets be, whom it takes up again after it died, and when
//! it gives up. It looks at one agent at a time and does one thing; then it looks again.

use std::str::FromStr;

use super::{AgentStatus, Contact, Reaction, Standing};
use crate::id::Timestamp;

/// How often an agent that dies at its work is started again.
pub const MOST_RECOVERIES: u32 = 3;
/// How long the first recovery waits; each one after it waits twice as long.
const FIRST_WAIT_MILLISECONDS: i64 = 2_000;

/// How far a prompt has come on its way to an agent's client. Each step is written down before the next one is taken, so
/// that whoever goes on after a crash neither loses nor repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandOver {
    /// Its text is made, what it tells counts as read, and no process has it.
    Taken,
    /// A process was started with it; the client has not said that it has it.
    Carried,
    /// The client has it.
    Confirmed,
    /// Its process was asked to end before the client said that it has it. Perhaps it still says so; if not, what it told
    /// is unread again, and comes with what is said next.
    Stopped,
    /// The same, because the supervisor ends: what it told comes as soon as there is another one.
    Suspended,
    /// The client could not be started with it; what it told is unread again.
    Failed,
    /// Its process is over, and nobody has looked at how.
    Exited,
    /// There is nothing left to do about it.
    Settled,
}

impl HandOver {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Taken,
        Self::Carried,
        Self::Confirmed,
        Self::Stopped,
        Self::Suspended,
        Self::Failed,
        Self::Exited,
        Self::Settled,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Carried => "carried",
            Self::Confirmed => "confirmed",
            Self::Stopped => "stopped",
            Self::Suspended => "suspended",
            Self::Failed => "failed",
            Self::Exited => "exited",
            Self::Settled => "settled",
        }
    }

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

impl FromStr for HandOver {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == text)
            .ok_or(())
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
    pub standing: Standing,
    /// How far its last prompt has come, if it had one.
    pub hand_over: Option<HandOver>,
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
pub enum Move {
    /// Nothing.
    Rest,
    /// Its process is gone without a word: that is written down.
    Bury,
    /// The prompt that is made for it is given to its client.
    Send,
    /// A prompt is made of what it has not read, and given to its client.
    Wake,
    /// Whoever started it is told how it ended.
    Report,
    /// It died at work: a prompt is made of what it left, and given to its client in a new session.
    Recover,
    /// The same, but not before this moment.
    RecoverAt(Timestamp),
    /// It died at work too often: the person is told.
    GiveUp,
}

/// What is to be done about an agent now.
pub fn next_move(seen: &Situation, now: Timestamp) -> Move {
    match (seen.process, seen.hand_over) {
        (ProcessState::Gone, _) => return Move::Bury,
        (ProcessState::Alive, _) => return Move::Rest,
        (ProcessState::None, Some(HandOver::Taken)) => return Move::Send,
        (ProcessState::None, Some(HandOver::Exited)) => return after_exit(seen, now),
        (ProcessState::None, _) => {}
    }
    let wakes = seen.is_called
        && seen.can_be_resumed
        && !seen.is_open_elsewhere
        && seen.standing.status != AgentStatus::Archived
        && seen.standing.reaction(Contact::Message) == Reaction::Wake;
    if wakes { Move::Wake } else { Move::Rest }
}

fn after_exit(seen: &Situation, now: Timestamp) -> Move {
    if seen.standing.status != AgentStatus::Failed || !seen.has_open_work {
        return Move::Report;
    }
    if seen.recoveries >= MOST_RECOVERIES {
        return Move::GiveUp;
    }
    let wait = FIRST_WAIT_MILLISECONDS << seen.recoveries;
    let due = Timestamp(seen.since.0.saturating_add(wait));
    // A clock that was set back must not make it wait for longer than it was to.
    if now >= due || now < seen.since {
        Move::Recover
    } else {
        Move::RecoverAt(due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000);

    /// Idle, with nothing to do.
    fn idle() -> Situation {
        Situation {
            standing: Standing::new(false),
            hand_over: None,
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
            standing: Standing {
                status: AgentStatus::Failed,
                asks: false,
                in_turn: false,
            },
            hand_over: Some(HandOver::Exited),
            has_open_work: true,
            ..idle()
        }
    }

    #[test]
    fn only_an_idle_agent_that_is_called_is_woken() {
        assert_eq!(next_move(&idle(), NOW), Move::Rest);
        let called = Situation {
            is_called: true,
            ..idle()
        };
        assert_eq!(next_move(&called, NOW), Move::Wake);
        let busy = Standing::new(true);
        let asks = Standing {
            status: AgentStatus::Blocked,
            asks: true,
            in_turn: false,
        };
        let others = [
            Situation {
                standing: busy,
                ..called
            },
            Situation {
                standing: asks,
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
            assert_eq!(next_move(&other, NOW), Move::Rest, "{other:?}");
        }
    }

    #[test]
    fn what_was_made_is_sent_before_anything_else_is_made() {
        for is_called in [false, true] {
            let taken = Situation {
                hand_over: Some(HandOver::Taken),
                is_called,
                ..idle()
            };
            assert_eq!(next_move(&taken, NOW), Move::Send);
        }
    }

    #[test]
    fn a_process_that_is_there_is_let_be_and_one_that_is_gone_is_buried() {
        for hand_over in HandOver::ALL {
            for (process, wanted) in [
                (ProcessState::Alive, Move::Rest),
                (ProcessState::Gone, Move::Bury),
            ] {
                let seen = Situation {
                    hand_over: Some(hand_over),
                    process,
                    is_called: true,
                    ..idle()
                };
                assert_eq!(next_move(&seen, NOW), wanted);
            }
        }
    }

    #[test]
    fn whoever_died_at_work_is_recovered_three_times_and_ever_later() {
        let mut waits = Vec::new();
        for recoveries in 0..MOST_RECOVERIES {
            let seen = Situation { recoveries, ..dead() };
            let Move::RecoverAt(due) = next_move(&seen, NOW) else {
                panic!("{seen:?}");
            };
            assert_eq!(next_move(&seen, due), Move::Recover);
            waits.push(due.0 - NOW.0);
        }
        assert!(waits.is_sorted_by(|one, next| next > one), "{waits:?}");
        let seen = Situation {
            recoveries: MOST_RECOVERIES,
            ..dead()
        };
        assert_eq!(next_move(&seen, NOW), Move::GiveUp);
    }

    #[test]
    fn a_clock_that_jumps_back_keeps_nobody_waiting() {
        assert_eq!(next_move(&dead(), Timestamp(0)), Move::Recover);
    }

    #[test]
    fn whoever_died_with_nothing_open_or_ended_well_is_reported() {
        let nothing_open = Situation {
            has_open_work: false,
            ..dead()
        };
        let well = Situation {
            standing: Standing::new(false),
            ..dead()
        };
        for seen in [nothing_open, well] {
            assert_eq!(next_move(&seen, NOW), Move::Report);
        }
    }

    #[test]
    fn only_what_the_client_never_had_goes_out_again() {
        for state in HandOver::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
            let again = state.after_exit(true) == HandOver::Taken;
            assert_eq!(again, matches!(state, HandOver::Carried | HandOver::Taken));
        }
        assert_eq!(HandOver::Carried.after_exit(false), HandOver::Failed);
        assert_eq!(HandOver::Confirmed.after_exit(true), HandOver::Exited);
        assert_eq!(HandOver::Carried.after_began(), HandOver::Confirmed);
        for stopped in [HandOver::Stopped, HandOver::Suspended] {
            assert!(stopped.is_stopped());
            assert_eq!(stopped.after_began(), HandOver::Settled, "it has it");
            assert_eq!(stopped.after_exit(false), HandOver::Settled);
            assert_eq!(stopped.after_exit(true), HandOver::Settled);
        }
        assert_eq!("done".parse::<HandOver>(), Err(()));
    }
}
