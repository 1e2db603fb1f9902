//! Search results.

use serde::Serialize;

/// Texts that contain the search words, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchView {
    /// The results.
    pub found: Vec<FoundText>,
    /// How many more there are.
    pub more: u64,
    /// Only texts after this time were searched, in milliseconds since 1970; nothing if all were.
    pub searched_after: Option<i64>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundText {
    /// Its kind.
    pub kind: FoundKind,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The message, run or task it belongs to.
    pub place: String,
    /// Who wrote it.
    pub by: String,
    /// The part of it that contains the words, on one line.
    pub excerpt: String,
    /// The command that shows all of it.
    pub command: String,
}

text_enum! {
    /// The kind of a text.
    FoundKind {
        /// A message.
        Message = "message",
        /// A note on a run or a task.
        Note = "note",
        /// The result of a step.
        Result = "result",
        /// The reason that ended a step.
        Reason = "reason",
    }
}
