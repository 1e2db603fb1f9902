//! The authors of events and texts.

use bugle_core::id::Actor;
use bugle_core::reply::{AgentLabel, Author};

/// An author, in a list or a history.
pub fn author(by: &Author) -> String {
    match by {
        Author::Person(name) => person(name.as_ref()).to_owned(),
        Author::Agent(agent) => format!("agent {}", label(agent)),
        Author::Relay { agent, user } => format!("{user}, relayed by agent {}", label(agent)),
        Author::Sender(address) => address.clone(),
        Author::Program => "a program".to_owned(),
    }
}

/// An author, in a text for an agent: an agent as `@address`.
pub(crate) fn speaker(by: &Author) -> String {
    match by {
        Author::Person(None) => person(None).to_owned(),
        Author::Person(Some(name)) => format!("{name}, a person"),
        Author::Agent(AgentLabel::Address(address))
        | Author::Relay {
            agent: AgentLabel::Address(address),
            ..
        }
        | Author::Sender(address) => format!("@{address}"),
        Author::Agent(AgentLabel::Session(session))
        | Author::Relay {
            agent: AgentLabel::Session(session),
            ..
        } => format!("the session {session}"),
        Author::Program => "a program outside any session".to_owned(),
    }
}

fn person(name: Option<&String>) -> &str {
    name.map_or(Actor::UNNAMED_PERSON, String::as_str)
}

fn label(agent: &AgentLabel) -> &str {
    match agent {
        AgentLabel::Address(address) => address,
        AgentLabel::Session(session) => &session.0,
    }
}
