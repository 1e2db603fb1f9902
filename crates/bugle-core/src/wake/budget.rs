//! How much room a client gives, in its own unit.

use serde::{Deserialize, Serialize};

/// What a client counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// UTF-16 units.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
    /// Tokens, as far as they can be told without a tokenizer: one for every four bytes, and never fewer than words.
    Tokens,
}

impl Unit {
    /// The word for it, for many.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf16 => "UTF-16 units",
            Self::Bytes => "bytes",
            Self::Tokens => "tokens (estimated)",
        }
    }

    /// The size of a text.
    pub fn measure(self, text: &str) -> usize {
        match self {
            // Most text is ASCII, where a byte is a unit.
            Self::Utf16 if text.is_ascii() => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Bytes => text.len(),
            Self::Tokens => text.len().div_ceil(4).max(text.split_whitespace().count()),
        }
    }
}

/// How large a wake-up may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// In what.
    pub unit: Unit,
    /// How many at most.
    pub limit: usize,
}

impl Budget {
    /// What one hook of Claude Code may say, with a margin: it takes 10,000 UTF-16 units and puts more into a file.
    pub const CLAUDE: Self = Self {
        unit: Unit::Utf16,
        limit: 9_000,
    };
    /// What one hook of Codex may say, with a margin: it takes 10,000 bytes and cuts out the middle of more.
    pub const CODEX: Self = Self {
        unit: Unit::Bytes,
        limit: 9_000,
    };
    /// What a prompt may say: there is more room, but all of it is read on every turn.
    pub const PROMPT: Self = Self {
        unit: Unit::Tokens,
        limit: 5_000,
    };
}
