//! How an agent stands, and what changes that. Everything that happens to an agent is a signal; what follows from it is
//! decided here and nowhere else, so that no caller can overwrite a truer status with a guess.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How an agent stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It is at work.
    Busy,
    /// It waits for somebody to speak to it.
    Idle,
    /// It asked something and waits for the answer.
    Blocked,
    /// Its session is over and nothing of its work is open.
    Complete,
    /// It died at work, or was ended.
    Failed,
    /// It was put aside, and is not shown.
    Archived,
}

impl AgentStatus {
    /// Every status.
    pub const ALL: [Self; 6] = [
        Self::Busy,
        Self::Idle,
        Self::Blocked,
        Self::Complete,
        Self::Failed,
        Self::Archived,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::Blocked => "blocked",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Archived => "archived",
        }
    }
}

impl FromStr for AgentStatus {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(())
    }
}

/// All that decides what a signal does to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Standing {
    /// How it stands, in a word.
    pub status: AgentStatus,
    /// Whether it has asked something that nobody has answered.
    pub asks: bool,
    /// Whether its client is in the middle of a turn: then it hears of everything by itself, and is not to be started.
    pub in_turn: bool,
}

/// Something that happens to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// A hook says that its client has begun a turn.
    TurnBegan,
    /// A hook says that its turn is over.
    TurnEnded,
    /// A hook says that its session is over.
    SessionEnded {
        /// Whether a run or task of it is open.
        open_work: bool,
    },
    /// It asked something.
    Asked,
    /// What it asked is answered.
    Answered,
    /// Somebody spoke to it.
    Contacted,
    /// Somebody puts it aside.
    PutAside,
    /// The supervisor has started its process.
    ProcessStarted,
    /// The process that the supervisor started is over.
    ProcessExited {
        /// Whether it ended with success.
        clean: bool,
        /// Whether a run or task of it is open.
        open_work: bool,
    },
    /// Somebody interrupted its turn; its session can be taken up again.
    Interrupted,
    /// Somebody ended its process.
    Killed,
    /// The supervisor has tried to recover it often enough.
    GivenUp,
}

/// How somebody turns to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contact {
    /// A message for it.
    Message,
    /// The answer to what it asked.
    Answer,
    /// It is told to go on now.
    Prompt,
}

/// What becomes of an agent that somebody turned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// Its session is taken up now.
    Wake,
    /// It is in a turn and gets everything together at the end of it.
    AtTheEndOfItsTurn,
    /// It waits for an answer and gets everything together with that.
    WithItsAnswer,
}

impl Standing {
    /// An agent that was just heard of, in the middle of its first turn or not.
    pub fn new(in_turn: bool) -> Self {
        Self {
            status: resting(false, in_turn),
            asks: false,
            in_turn,
        }
    }

    /// How it stands after something happened.
    #[must_use]
    pub fn after(self, signal: Signal) -> Self {
        use AgentStatus::{Archived, Blocked, Busy, Complete, Failed, Idle};
        let Self {
            status,
            asks,
            in_turn,
        } = self;
        // What is final, or somebody's decision, is not undone by a turn or a session that ends late.
        let settled = matches!(status, Failed | Archived);
        match signal {
            Signal::TurnBegan | Signal::ProcessStarted => Self {
                status: Busy,
                asks,
                in_turn: true,
            },
            Signal::TurnEnded => Self {
                status: if settled || status == Complete {
                    status
                } else {
                    resting(asks, false)
                },
                asks,
                in_turn: false,
            },
            Signal::SessionEnded { open_work } => Self {
                status: match resting(asks, false) {
                    _ if settled => status,
                    Idle if !open_work => Complete,
                    rests => rests,
                },
                asks,
                in_turn: false,
            },
            Signal::ProcessExited { clean, open_work } => Self {
                // Whatever but "busy" is known better than from an exit.
                status: match (status, resting(asks, false)) {
                    (Busy, _) if !clean => Failed,
                    (Busy, Idle) if !open_work => Complete,
                    (Busy, rests) => rests,
                    (known, _) => known,
                },
                asks,
                in_turn: false,
            },
            Signal::Interrupted => Self {
                status: if matches!(status, Busy | Blocked) {
                    resting(asks, false)
                } else {
                    status
                },
                asks,
                in_turn: false,
            },
            Signal::Killed => Self {
                status: if in_turn && status != Archived {
                    Failed
                } else {
                    status
                },
                asks,
                in_turn: false,
            },
            Signal::GivenUp => Self {
                status: if status == Archived { status } else { Failed },
                asks,
                in_turn: false,
            },
            Signal::Asked => Self {
                status: Blocked,
                asks: true,
                in_turn,
            },
            Signal::Answered => Self {
                status: if status == Blocked {
                    resting(false, in_turn)
                } else {
                    status
                },
                asks: false,
                in_turn,
            },
            Signal::Contacted => Self {
                status: if status == Archived {
                    resting(asks, in_turn)
                } else {
                    status
                },
                asks,
                in_turn,
            },
            Signal::PutAside => Self {
                status: Archived,
                asks,
                in_turn,
            },
        }
    }

    /// What becomes of it when somebody turns to it. The signal of the contact comes first: it takes an agent back that
    /// was put aside.
    pub fn reaction(self, contact: Contact) -> Reaction {
        if self.in_turn {
            Reaction::AtTheEndOfItsTurn
        } else if self.asks && contact == Contact::Message {
            Reaction::WithItsAnswer
        } else {
            Reaction::Wake
        }
    }
}

/// How an agent stands of which nothing else is known.
fn resting(asks: bool, in_turn: bool) -> AgentStatus {
    match (asks, in_turn) {
        (true, _) => AgentStatus::Blocked,
        (false, true) => AgentStatus::Busy,
        (false, false) => AgentStatus::Idle,
    }
}

#[cfg(test)]
#[path = "standing_tests.rs"]
mod tests;
