//! Message kinds.

/// A message's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A statement.
    Say,
    /// A question; the sender is waiting for the answer.
    Ask,
    /// The answer to a question.
    Answer,
}

enum_text!(MessageKind {
    Say = "say",
    Ask = "ask",
    Answer = "answer",
});
