//! Task numbers in a plan.

use std::fmt;

/// A task's or group's number as written: `3`, `3.1`, `4b`, `0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskNumber(String);

impl TaskNumber {
    /// Stores a number as written.
    pub fn new(written: impl Into<String>) -> Self {
        Self(written.into())
    }

    /// The number as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The normalised form for comparisons: `03` equals `3`, and `4B` equals `4b`.
    pub fn key(&self) -> String {
        let mut key = String::with_capacity(self.0.len());
        let mut rest = self.0.trim().chars().peekable();
        let mut after_digit = false;
        while let Some(letter) = rest.next() {
            let padding = letter == '0' && !after_digit && rest.peek().is_some_and(char::is_ascii_digit);
            if !padding {
                after_digit = letter.is_ascii_digit();
                key.extend(letter.to_lowercase());
            }
        }
        key
    }

    /// The integer at the start: 3 for `3.1`, `None` for `T1`.
    pub fn leading(&self) -> Option<u32> {
        let end = self.0.find(|letter: char| !letter.is_ascii_digit());
        self.0[..end.unwrap_or(self.0.len())].parse().ok()
    }

    /// Whether this number is a part of `whole`: `3.1` and `3b` are parts of `3`.
    pub fn is_part_of(&self, whole: &Self) -> bool {
        let (own, whole) = (self.key(), whole.key());
        own.strip_prefix(&whole)
            .and_then(|rest| rest.chars().next())
            .is_some_and(|next| next == '.' || next.is_alphabetic())
    }
}

impl TaskNumber {
    /// Whether a task with this number, under a deeper heading than the previous task `outer`, is nested in `outer`. It
    /// is nested if its number is a part of `outer`, or if nested tasks restart the numbering. Otherwise it is the next
    /// task, with the wrong heading level.
    pub fn is_inside(&self, outer: &Self, restarts_numbers: bool) -> bool {
        self.is_part_of(outer) || restarts_numbers || self.leading() <= outer.leading()
    }
}

impl fmt::Display for TaskNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
