//! What a message is.

use std::str::FromStr;

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// Something that is said.
    Say,
    /// A question; whoever asks waits for the answer.
    Ask,
    /// The answer to a question.
    Answer,
}

impl MessageKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Say, Self::Ask, Self::Answer];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Say => "say",
            Self::Ask => "ask",
            Self::Answer => "answer",
        }
    }
}

impl FromStr for MessageKind {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}
