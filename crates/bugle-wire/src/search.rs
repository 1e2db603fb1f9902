//! Search results.

use serde::Serialize;

/// Texts that contain the search words, latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchView {
    /// The results.
    pub found: Vec<FoundText>,
    /// How many more results there are.
    pub more: u64,
    /// The search covered only texts after this time, in milliseconds since 1970; `None` if it covered all texts.
    pub searched_after: Option<i64>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundText {
    /// Its kind.
    pub kind: FoundKind,
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The message, run or task it belongs to.
    pub place: String,
    /// Its author.
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
