//! Message kinds.

use serde::Serialize;

/// A message's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
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
