//! Messages between agents and users: addresses, and mentions in messages.
//!
//! An agent address is `project:branch:name`. A sender may omit the parts that equal its own.

mod address;
mod code;
mod kind;
mod mention;

pub use address::{AgentAddress, BadAddress, Home};
pub use kind::MessageKind;
pub use mention::{Addressee, Mention, mentions};

/// Whether a message consists only of dots, like a placeholder.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| matches!(letter, '.' | '\u{2026}'))
}
