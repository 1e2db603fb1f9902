//! The kinds of messages.

/// The kind of a message.
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
