//! Edits text by splices. All other bytes stay unchanged, and the splices can be undone.

use serde::{Deserialize, Serialize};

/// A replacement of bytes in a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// The byte offset in the text before the splice.
    pub at: usize,
    /// The replaced text.
    pub removed: String,
    /// The replacement.
    pub inserted: String,
}

impl Splice {
    /// Undoes the splice: returns the original text, or `None` if the splice does not match.
    fn undo(&self, text: &str) -> Option<String> {
        let (before, rest) = text.split_at_checked(self.at)?;
        let after = rest.strip_prefix(self.inserted.as_str())?;
        Some(format!("{before}{}{after}", self.removed))
    }
}

/// Text and its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    text: String,
    splices: Vec<Splice>,
}

impl Edited {
    /// Text without edits.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            splices: Vec::new(),
        }
    }

    /// The text after all edits.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The edits, in order.
    pub fn splices(&self) -> &[Splice] {
        &self.splices
    }

    /// Replaces a range of bytes. A range outside the text changes nothing.
    pub(crate) fn replace(&mut self, start: usize, end: usize, inserted: &str) {
        let Some(removed) = self.text.get(start..end) else {
            return;
        };
        if removed == inserted {
            return;
        }
        self.splices.push(Splice {
            at: start,
            removed: removed.to_owned(),
            inserted: inserted.to_owned(),
        });
        self.text.replace_range(start..end, inserted);
    }

    pub(crate) fn insert(&mut self, at: usize, inserted: &str) {
        self.replace(at, at, inserted);
    }

    pub(crate) fn remove(&mut self, start: usize, end: usize) {
        self.replace(start, end, "");
    }
}

/// Undoes splices: returns the original text, or `None` if they do not match.
pub fn undo(text: &str, splices: &[Splice]) -> Option<String> {
    splices
        .iter()
        .rev()
        .try_fold(text.to_owned(), |text, splice| splice.undo(&text))
}

/// The line ending that text uses.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Why text cannot be edited, with the position of the error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct EditError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The error message.
    pub what: String,
}

impl EditError {
    pub(crate) fn at(text: &str, at: usize, what: impl Into<String>) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
            what: what.into(),
        }
    }
}
