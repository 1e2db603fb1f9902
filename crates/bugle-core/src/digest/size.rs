//! Text sizes in the units that clients use for their limits.

use serde::{Deserialize, Serialize};

/// How much of a section to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// A one-line pointer.
    Pointer,
    /// The instructions.
    Digest,
    /// The full text.
    Full,
}

enum_text!(Detail {
    Pointer = "pointer",
    Digest = "digest",
    Full = "full",
});

/// The size of a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Characters.
    pub characters: usize,
    /// UTF-16 code units, which some clients count.
    pub utf16: usize,
    /// Bytes, which other clients count.
    pub bytes: usize,
}

impl Size {
    /// Measures a string.
    pub fn of(text: &str) -> Self {
        Self {
            characters: text.chars().count(),
            utf16: text.encode_utf16().count(),
            bytes: text.len(),
        }
    }

    /// Whether this size is at most `other` in every unit.
    pub fn fits(self, other: Self) -> bool {
        self.characters <= other.characters && self.utf16 <= other.utf16 && self.bytes <= other.bytes
    }
}

/// A string with its size.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    /// The text, without a trailing line break.
    pub text: String,
    /// The text's size.
    pub size: Size,
}

impl Rendering {
    pub(super) fn new(text: String) -> Self {
        let size = Size::of(&text);
        Self { text, size }
    }
}
