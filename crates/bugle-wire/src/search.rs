//! Search results.

use serde::Serialize;

/// Search results, latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchView {
    /// The results.
    pub found: Vec<FoundText>,
    /// Number of further results.
    pub more: u64,
    /// The start of the searched period, in milliseconds since 1970; `None` if the search covered everything.
    pub searched_after: Option<i64>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundText {
    /// The result's kind.
    pub kind: FoundKind,
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The message, run or task that contains the text.
    pub place: String,
    /// The text's author.
    pub by: String,
    /// The matching part, on one line.
    pub excerpt: String,
    /// The command that shows the whole text.
    pub command: String,
}

text_enum! {
    /// The kind of text.
    FoundKind {
        /// A message.
        Message = "message",
        /// A note on a run or a task.
        Note = "note",
        /// The result of a step.
        Result = "result",
        /// The reason given when a step ended.
        Reason = "reason",
    }
}
