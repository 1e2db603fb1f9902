//! The room that a client gives, in its own unit.

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
            Self::Tokens => text.len().div_ceil(4).max(words(text)),
        }
    }
}

fn words(text: &str) -> usize {
    if !text.is_ascii() {
        return text.split_whitespace().count();
    }
    // The same, byte by byte: a word begins where a space stands before it, or nothing. So many are counted together as a
    // byte can hold, which the compiler does at once.
    let is_space = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let bytes = text.as_bytes();
    let Some((first, others)) = bytes.split_first() else {
        return 0;
    };
    let begun = |(before, byte): (&u8, &u8)| u8::from(is_space(*before) & !is_space(*byte));
    let pieces = bytes.chunks(PIECE).zip(others.chunks(PIECE));
    let counts = pieces.map(|(before, piece)| before.iter().zip(piece).map(begun).sum::<u8>());
    usize::from(!is_space(*first)) + counts.map(usize::from).sum::<usize>()
}

/// How many words at most are counted in a byte.
const PIECE: usize = 128;

/// How large a wake-up may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// In what.
    pub unit: Unit,
    /// How many at most.
    pub limit: usize,
}

impl Budget {
    /// So many UTF-16 units.
    pub const fn utf16(limit: usize) -> Self {
        Self {
            unit: Unit::Utf16,
            limit,
        }
    }

    /// So many bytes.
    pub const fn bytes(limit: usize) -> Self {
        Self {
            unit: Unit::Bytes,
            limit,
        }
    }

    /// What a prompt may say: there is more room, but all of it is read on every turn.
    pub const PROMPT: Self = Self {
        unit: Unit::Tokens,
        limit: 5_000,
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_quick_ways_to_count_count_the_same(text in "([ -~\\t\\n\\r\\x0b\\x0c]|é|😀|\u{a0}){0,40}") {
            prop_assert_eq!(words(&text), text.split_whitespace().count());
            prop_assert_eq!(Unit::Utf16.measure(&text), text.encode_utf16().count());
        }
    }
}
