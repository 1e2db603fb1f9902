//! How many tokens a text has, exactly.
//!
//! The vocabulary is o200k, which clients other than Claude's use. Claude's own is not public, so that for it the number is
//! near, not exact. To load a vocabulary takes longer than an agent should wait: only reports do.

/// The number of tokens of a text. Words that stand for something in a conversation (`<|endoftext|>`) are text like any
/// other here.
pub(super) fn count(text: &str) -> Option<usize> {
    Some(tiktoken::get_encoding("o200k_base")?.count(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_are_those_of_o200k() {
        assert_eq!(count(""), Some(0));
        assert_eq!(count("hello world"), Some(2));
        assert_eq!(count("<|endoftext|>").map(|tokens| tokens > 1), Some(true));
    }
}
