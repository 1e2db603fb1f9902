//! What was found.

use serde::Serialize;

/// What holds the words that were looked for, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchView {
    /// What was found.
    pub found: Vec<FoundText>,
    /// How many more were.
    pub more: u64,
    /// Everything after this moment was searched, in milliseconds since 1970; nothing if everything was.
    pub searched_after: Option<i64>,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundText {
    /// What it is.
    pub kind: FoundKind,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The message, run or task it belongs to.
    pub place: String,
    /// Who said, noted or found it.
    pub by: String,
    /// The part of it that holds the words, on one line.
    pub excerpt: String,
    /// The command that shows all of it.
    pub command: String,
}

text_enum! {
    /// Where a text was found.
    FoundKind {
        /// In a message.
        Message = "message",
        /// In a note of a run or a task.
        Note = "note",
        /// In the result of a step.
        Result = "result",
        /// In the reason that a step ended with.
        Reason = "reason",
    }
}
