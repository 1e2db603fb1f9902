//! The state of an agent and the signals that change it. All transitions are here, so that no caller can overwrite a
//! known status with a guess.

use serde::{Deserialize, Serialize};

/// The status of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// It is working.
    Busy,
    /// It waits for a message.
    Idle,
    /// It asked a question and waits for the answer.
    Blocked,
    /// Its session is over, and it has no open work.
    Complete,
    /// It crashed while working, or was killed.
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

/// The state on which transitions depend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AgentState {
    /// Its status.
    pub status: AgentStatus,
    /// Whether it has an unanswered question.
    pub asks: bool,
    /// Whether its client is in a turn. Then it receives messages by itself and must not be started.
    pub in_turn: bool,
}

/// An event that changes an agent's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// A hook reports the start of a turn.
    TurnBegan,
    /// A hook reports the end of a turn.
    TurnEnded,
    /// A hook reports the end of the session.
    SessionEnded {
        /// Whether it has an open run or task.
        open_work: bool,
    },
    /// It asked a question.
    Asked,
    /// Its question was answered.
    Answered,
    /// It received a message.
    Contacted,
    /// A person archived it.
    Archived,
    /// The supervisor has started its process.
    ProcessStarted,
    /// The supervisor's process for it exited.
    ProcessExited {
        /// Whether it exited successfully.
        clean: bool,
        /// Whether it has an open run or task.
        open_work: bool,
    },
    /// A person interrupted its turn; its session can be resumed.
    Interrupted,
    /// A person killed its process.
    Killed,
    /// The supervisor reached its limit of recoveries.
    RecoveryAbandoned,
}

/// How an agent is contacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contact {
    /// A message for it.
    Message,
    /// The answer to its question.
    Answer,
    /// A prompt to continue now.
    Prompt,
}

/// The effect of a contact on an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// Resume its session now.
    Wake,
    /// It is in a turn, and receives everything at the end of it.
    AfterTurn,
    /// It waits for an answer, and receives everything with it.
    WithAnswer,
}

impl AgentState {
    /// A newly registered agent, in a turn or not.
    pub fn new(in_turn: bool) -> Self {
        Self {
            status: resting(false, in_turn),
            asks: false,
            in_turn,
        }
    }

    /// The state after a signal.
    #[must_use]
    pub fn after(self, signal: Signal) -> Self {
        use AgentStatus::{Archived, Blocked, Busy, Complete, Failed, Idle};
        let Self {
            status,
            asks,
            in_turn,
        } = self;
        // A late end of a turn or session does not undo a final status or a person's decision.
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
                // An exit says less than any known status except `Busy`.
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

    /// The effect of a contact. Apply the contact's signal first: it restores an archived agent.
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

/// The status of an agent about which nothing else is known.
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
