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

/// The placeholder for an answer or a reason in printed commands.
pub const TEXT_PLACEHOLDER: &str = "TEXT";

/// Whether a text is a placeholder: [`TEXT_PLACEHOLDER`], or only dots.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text == TEXT_PLACEHOLDER
        || !text.is_empty() && text.chars().all(|letter| matches!(letter, '.' | '\u{2026}'))
}
