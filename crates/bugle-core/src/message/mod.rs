//! What agents and people say to each other: who is meant by an address, and who is mentioned in a text.
//!
//! An agent is known as `project:branch:name`. A sender leaves out the parts that are the same as its own.

mod address;
mod code;
mod kind;
mod mention;

pub use address::{AgentAddress, BadAddress, Home};
pub use kind::MessageKind;
pub use mention::{Addressee, Mention, mentions};

/// Whether a text is only the dots that stand where words belong.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|letter| matches!(letter, '.' | '\u{2026}'))
}
