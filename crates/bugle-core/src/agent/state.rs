//! An agent's state and the signals that change it. This module contains all transitions, so no caller can overwrite a
//! known status with a guess.

use serde::{Deserialize, Serialize};

/// An agent's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// Working.
    Busy,
    /// Waiting for a message.
    Idle,
    /// Waiting for an answer to its question.
    Blocked,
    /// The session has ended, and no work is open.
    Complete,
    /// The agent crashed while working, or was killed.
    Failed,
    /// Hidden from lists.
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

/// The state that transitions depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AgentState {
    /// The status.
    pub status: AgentStatus,
    /// Whether the agent has an unanswered question.
    pub asks: bool,
    /// Whether the agent's client is in a turn. The client then picks up messages by itself, and must not be started
    /// again.
    pub in_turn: bool,
}

/// An event that changes an agent's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    /// A hook reported the start of a turn.
    TurnBegan,
    /// A hook reported the end of a turn.
    TurnEnded,
    /// A hook reported the end of the session.
    SessionEnded {
        /// Whether the agent has an open run or task.
        open_work: bool,
    },
    /// The agent asked a question.
    Asked,
    /// The agent's question was answered.
    Answered,
    /// The agent received a message.
    Contacted,
    /// A person archived the agent.
    Archived,
    /// The supervisor started a process for the agent.
    ProcessStarted,
    /// The process that the supervisor started has exited.
    ProcessExited {
        /// Whether the process exited successfully.
        clean: bool,
        /// Whether the agent has an open run or task.
        open_work: bool,
    },
    /// A person interrupted the turn; the session can be resumed.
    Interrupted,
    /// A person killed the process.
    Killed,
    /// The supervisor has recovered the agent too often.
    RecoveryAbandoned,
}

/// A reason to contact an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Contact {
    /// A message for the agent.
    Message,
    /// The answer to the agent's question.
    Answer,
    /// A prompt to continue now.
    Prompt,
}

/// The effect of contacting an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// Resume the agent's session now.
    Wake,
    /// The agent is in a turn and receives everything when the turn ends.
    AfterTurn,
    /// The agent is waiting for an answer and receives everything together with that answer.
    WithAnswer,
}

impl AgentState {
    /// A newly registered agent, which may already be in a turn.
    pub fn new(in_turn: bool) -> Self {
        Self {
            status: resting(false, in_turn),
            asks: false,
            in_turn,
        }
    }

    /// The state changes that a signal causes, as pairs of the old and the new state.
    pub fn changes(signal: Signal) -> Vec<(Self, Self)> {
        let states = AgentStatus::ALL.iter().flat_map(|status| {
            let flags = [(false, false), (false, true), (true, false), (true, true)];
            flags.map(|(asks, in_turn)| Self {
                status: *status,
                asks,
                in_turn,
            })
        });
        let changes = states.map(|state| (state, state.after(signal)));
        changes.filter(|(before, after)| before != after).collect()
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
        // A late end of a turn or session must not undo a final status or a person's decision.
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
                // An exit replaces only `Busy`: every other status is more specific.
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

    /// The effect of a contact. Apply the contact's signal first, because that restores an archived agent.
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

/// The status that follows from `asks` and `in_turn` alone.
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
