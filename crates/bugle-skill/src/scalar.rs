//! Maps an offset in a YAML value to its source, which may be quoted, escaped, indented or folded.

use std::iter::Peekable;
use std::str::CharIndices;

/// A value whose YAML source is spelled differently, for example with quotes or escapes.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    value: String,
    quote: Option<char>,
}

impl Scalar {
    pub(crate) fn new(value: &str, quote: Option<char>) -> Self {
        Self {
            value: value.to_owned(),
            quote,
        }
    }

    /// Maps an offset in the value to the source: returns the offset of the next visible character. Both have the same
    /// visible characters in the same order, and differ only in white space.
    pub(crate) fn source_offset(&self, source: &str, offset: usize) -> usize {
        let before = &self.value[..self.value.floor_char_boundary(offset)];
        let mut left = before.chars().filter(|c| !c.is_whitespace()).count();
        let mut rest = source.char_indices().peekable();
        while let Some((at, first)) = rest.next() {
            if self.is_white_space(first, &mut rest) {
                continue;
            }
            if left == 0 {
                return at;
            }
            left -= 1;
        }
        source.len()
    }

    /// Whether the character that starts here is white space. Consumes the rest of an escape sequence.
    fn is_white_space(&self, first: char, rest: &mut Peekable<CharIndices<'_>>) -> bool {
        match (self.quote, first) {
            (Some('\''), '\'') => {
                rest.next();
                false
            }
            (Some('"'), '\\') => {
                let escaped = rest.next().map_or(' ', |(_, c)| c);
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => return escaped.is_whitespace() || "ntrvfNLP_".contains(escaped),
                };
                let code: String = rest.by_ref().take(digits).map(|(_, c)| c).collect();
                let code = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                code.is_some_and(char::is_whitespace)
            }
            _ => first.is_whitespace(),
        }
    }
}
