//! A wake-up's budget, in the client's unit.

use serde::{Deserialize, Serialize};

/// A unit of size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// UTF-16 code units.
    Utf16,
    /// UTF-8 bytes.
    Bytes,
    /// An estimate of tokens without a tokenizer: one per four bytes, and at least one per word.
    Tokens,
}

impl Unit {
    /// The plural name of the unit.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Utf16 => "UTF-16 code units",
            Self::Bytes => "bytes",
            Self::Tokens => "tokens (estimated)",
        }
    }

    /// The text's size in this unit.
    pub fn measure(self, text: &str) -> usize {
        match self {
            // Most text is ASCII, where one byte is one code unit.
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
    // The same count, byte by byte: a word starts after a space or at the start of the text. Counting in chunks whose
    // counts fit into a byte lets the compiler vectorize the loop.
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

/// Maximum number of bytes per chunk, so that the word count fits into a byte.
const PIECE: usize = 128;

/// The maximum size of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The unit.
    pub unit: Unit,
    /// The limit.
    pub limit: usize,
}

impl Budget {
    /// A budget in UTF-16 code units.
    pub const fn utf16(limit: usize) -> Self {
        Self {
            unit: Unit::Utf16,
            limit,
        }
    }

    /// A budget in bytes.
    pub const fn bytes(limit: usize) -> Self {
        Self {
            unit: Unit::Bytes,
            limit,
        }
    }

    /// The budget for a prompt. Clients allow longer prompts, but the agent reads the whole prompt again on every turn.
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
        fn the_fast_counts_equal_the_simple_ones(text in "([ -~\\t\\n\\r\\x0b\\x0c]|é|😀|\u{a0}){0,40}") {
            prop_assert_eq!(words(&text), text.split_whitespace().count());
            prop_assert_eq!(Unit::Utf16.measure(&text), text.encode_utf16().count());
        }
    }
}
