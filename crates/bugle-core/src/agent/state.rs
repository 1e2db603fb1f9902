//! The state of an agent and the signals that change it. All transitions are here, so that no caller can overwrite a
//! known status with a guess.

use serde::{Deserialize, Serialize};

/// How an agent stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It is at work.
    Busy,
    /// It waits for a message.
    Idle,
    /// It asked something and waits for the answer.
    Blocked,
    /// Its session is over and nothing of its work is open.
    Complete,
    /// It died at work, or was ended.
    Failed,
    /// It is hidden from lists.
    Archived,
}

enum_text!(AgentStatus {
    Busy = "busy",
    Idle = "idle",
    Blocked = "blocked",
    Complete = "complete",
    Failed = "failed",
    Archived = "archived",
});

/// All that decides what a signal does to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AgentState {
    /// How it stands, in a word.
    pub status: AgentStatus,
    /// Whether it has an unanswered question.
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
    /// It received a message.
    Contacted,
    /// A person archived it.
    Archived,
    /// The supervisor has started its process.
    ProcessStarted,
    /// The process that the supervisor started is over.
    ProcessExited {
        /// Whether it ended with success.
        clean: bool,
        /// Whether a run or task of it is open.
        open_work: bool,
    },
    /// A person interrupted its turn; its session can be resumed.
    Interrupted,
    /// A person ended its process.
    Killed,
    /// The supervisor has tried to recover it often enough.
    RecoveryAbandoned,
}

/// How an agent is contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contact {
    /// A message for it.
    Message,
    /// The answer to what it asked.
    Answer,
    /// A prompt to continue now.
    Prompt,
}

/// What a contact does to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// Its session is resumed now.
    Wake,
    /// It is in a turn and gets everything together at the end of it.
    AfterTurn,
    /// It waits for an answer and gets everything together with that.
    WithAnswer,
}

impl AgentState {
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
        // What is final, or a person's decision, is not undone by a turn or a session that ends late.
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
            Signal::RecoveryAbandoned => Self {
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
            Signal::Archived => Self {
                status: Archived,
                asks,
                in_turn,
            },
        }
    }

    /// What a contact does to it. The signal of the contact is applied first: it restores an agent that
    /// was archived.
    pub fn reaction(self, contact: Contact) -> Reaction {
        if self.in_turn {
            Reaction::AfterTurn
        } else if self.asks && contact == Contact::Message {
            Reaction::WithAnswer
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
#[path = "state_tests.rs"]
mod tests;
