//! Bounds on the length of a string or list.

use serde::{Deserialize, Serialize};

use crate::count::counted;

/// The largest minimum length that a shape may require. Limited because an example of the shape has at least this
/// length.
pub const MAX_LENGTH: usize = 10_000;

/// The allowed length of a string or list; `None` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Length {
    /// At least this many characters or items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    /// At most this many characters or items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
}

impl Length {
    pub(crate) fn admits(self, count: usize) -> bool {
        self.min.is_none_or(|min| count >= min) && self.max.is_none_or(|max| count <= max)
    }

    /// The mistake in a string's length, if any. A string of only whitespace counts as empty.
    pub(crate) fn fault(self, text: &str) -> Option<String> {
        let count = text.chars().count();
        if !self.admits(count) {
            return Some(counted(count, "character"));
        }
        let is_blank = text.trim().is_empty() && self.min.is_some_and(|min| min > 0);
        is_blank.then(|| "only spaces".to_owned())
    }

    /// The bounds in plain English.
    pub fn describe(self, word: &str) -> String {
        match (self.min, self.max) {
            (None, None) => format!("{word}s"),
            (Some(min), None) => format!("at least {}", counted(min, word)),
            (None, Some(max)) => format!("at most {}", counted(max, word)),
            (Some(min), Some(max)) if min == max => format!("exactly {}", counted(min, word)),
            (Some(min), Some(max)) => format!("{min} to {}", counted(max, word)),
        }
    }
}
