//! Markdown code fences, as `CommonMark` has them. The caller removes what may stand before a fence: indentation, the
//! signs of a list or a quotation.

/// The marks of a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// A backtick or a tilde.
    pub mark: char,
    /// How many of them.
    pub length: usize,
}

impl Fence {
    /// The marks that a line begins with, at least three, and the text behind them.
    pub fn marks(line: &str) -> Option<(Self, &str)> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let behind = line.trim_start_matches(mark);
        let length = line.len() - behind.len();
        (length >= 3).then_some((Self { mark, length }, behind.trim()))
    }

    /// The fence that a line opens, and its language. A backtick behind backticks makes them a code span.
    pub fn opened_by(line: &str) -> Option<(Self, &str)> {
        Self::marks(line).filter(|(fence, language)| fence.mark == '~' || !language.contains('`'))
    }

    /// Whether a line closes it: at least as many of the same mark, and nothing behind.
    pub fn is_closed_by(self, line: &str) -> bool {
        Self::marks(line).is_some_and(|(marks, behind)| {
            marks.mark == self.mark && marks.length >= self.length && behind.is_empty()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_has_three_marks_and_backticks_no_others_behind() {
        let opened = |line| Fence::opened_by(line).map(|(fence, language)| (fence.length, language));
        assert_eq!(opened("```rust "), Some((3, "rust")));
        assert_eq!(opened("~~~~ a`b"), Some((4, "a`b")));
        assert_eq!(
            [opened("``"), opened("```a`"), opened("a```"), opened("")],
            [None; 4]
        );
    }

    #[test]
    fn a_fence_is_closed_by_as_many_marks_and_nothing_else() {
        let (fence, _) = Fence::opened_by("````").unwrap();
        assert!(fence.is_closed_by("````") && fence.is_closed_by("`````  "));
        assert!(!fence.is_closed_by("```") && !fence.is_closed_by("~~~~") && !fence.is_closed_by("```` a"));
    }
}
