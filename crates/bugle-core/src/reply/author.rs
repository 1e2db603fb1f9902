//! The authors of events and texts.

use serde::{Deserialize, Serialize};

use crate::id::{Actor, SessionId};

/// The author of an event or a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// A person; `None` if the name is unknown.
    Person(Option<String>),
    /// An agent.
    Agent(AgentLabel),
    /// An agent that relays a decision by its user.
    Relay {
        /// The agent.
        agent: AgentLabel,
        /// The user.
        user: String,
    },
    /// The sender of a message, as an address without `@`.
    Sender(String),
    /// A program outside any session.
    Program,
}

/// What is known about an agent: its address or its session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentLabel {
    /// The address, without `@`, as seen from the reader's project.
    Address(String),
    /// The session of an agent whose address is unknown.
    Session(SessionId),
}

impl Author {
    /// The actor; `address` is its agent's address, if known.
    pub fn new(by: &Actor, address: Option<String>) -> Self {
        let label = |session: &SessionId| {
            address.map_or_else(|| AgentLabel::Session(session.clone()), AgentLabel::Address)
        };
        match by {
            Actor::Agent(session) => Self::Agent(label(session)),
            Actor::Relay { agent, user } => Self::Relay {
                agent: label(agent),
                user: user.clone(),
            },
            Actor::Person(name) => Self::Person((name != Actor::UNNAMED_PERSON).then(|| name.clone())),
            Actor::Program => Self::Program,
        }
    }
}

/// The actor, with its agent known only by its session.
impl From<&Actor> for Author {
    fn from(by: &Actor) -> Self {
        Self::new(by, None)
    }
}
