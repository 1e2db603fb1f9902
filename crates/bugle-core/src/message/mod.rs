//! Messages between agents and users: addresses, and mentions in a text.
//!
//! An agent's address is `project:branch:name`. A sender omits the parts that equal its own.

mod address;
mod code;
mod kind;
mod mention;

pub use address::{AgentAddress, BadAddress, Home};
pub use kind::MessageKind;
pub use mention::{Addressee, Mention, mentions};

/// Whether a text is only the dots of a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| matches!(letter, '.' | '\u{2026}'))
}
