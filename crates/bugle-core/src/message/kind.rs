//! The kinds of messages.

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// A statement.
    Say,
    /// A question; the sender waits for the answer.
    Ask,
    /// The answer to a question.
    Answer,
}

enum_text!(MessageKind {
    Say = "say",
    Ask = "ask",
    Answer = "answer",
});
