//! Search results.

use super::author::Author;
use crate::id::Timestamp;
use serde::Serialize;
/// Search results, latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SearchView {
    /// The results.
    pub found: Vec<FoundText>,
    /// Number of further results.
    pub more: u64,
    /// The start of the searched period; `None` if the search covered everything.
    pub searched_after: Option<Timestamp>,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundText {
    /// The result's kind.
    pub kind: FoundKind,
    /// The time.
    pub at: Timestamp,
    /// The message, run or task that contains the text.
    pub place: String,
    /// The text's author.
    pub by: Author,
    /// The matching part, on one line.
    pub excerpt: String,
    /// The command that shows the whole text.
    pub command: String,
}

/// The kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundKind {
    /// A message.
    Message,
    /// A note on a run or a task.
    Note,
    /// The result of a step.
    Result,
    /// The reason given when a step ended.
    Reason,
}

enum_text!(FoundKind {
    Message = "message",
    Note = "note",
    Result = "result",
    Reason = "reason",
});
