//! Markdown code fences, as in `CommonMark`. The caller strips indentation, list markers and quote markers first.

/// A fence marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// A backtick or a tilde.
    pub mark: char,
    /// The number of repetitions of the character.
    pub length: usize,
}

impl Fence {
    /// The marker at the start of a line, and the text after the marker. `None` if the marker is too short.
    pub fn marks(line: &str) -> Option<(Self, &str)> {
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let behind = line.trim_start_matches(mark);
        let length = line.len() - behind.len();
        (length >= 3).then_some((Self { mark, length }, behind.trim()))
    }

    /// The fence that a line opens, and its info string. Backticks with another backtick later in the line start a
    /// code span instead.
    pub fn opened_by(line: &str) -> Option<(Self, &str)> {
        Self::marks(line).filter(|(fence, language)| fence.mark == '~' || !language.contains('`'))
    }

    /// Whether a line closes this fence. A closing line repeats the character at least as often, without other text.
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
    fn a_fence_needs_three_marks_and_no_later_backtick() {
        let opened = |line| Fence::opened_by(line).map(|(fence, language)| (fence.length, language));
        assert_eq!(opened("```rust "), Some((3, "rust")));
        assert_eq!(opened("~~~~ a`b"), Some((4, "a`b")));
        assert_eq!(
            [opened("``"), opened("```a`"), opened("a```"), opened("")],
            [None; 4]
        );
    }

    #[test]
    fn a_closing_fence_is_at_least_as_long_and_has_nothing_after_it() {
        let (fence, _) = Fence::opened_by("````").unwrap();
        assert!(fence.is_closed_by("````") && fence.is_closed_by("`````  "));
        assert!(!fence.is_closed_by("```") && !fence.is_closed_by("~~~~") && !fence.is_closed_by("```` a"));
    }
}
