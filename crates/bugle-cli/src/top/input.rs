//! The input line.

use unicode_segmentation::UnicodeSegmentation as _;

use super::text::{columns, inert};

/// Shown in place of a line feed, because the input is a single line.
const LINE_FEED: &str = "\u{21b5}";

/// The typed text and the cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Input {
    text: String,
    /// The byte offset of the cursor, always between two graphemes.
    cursor: usize,
}

impl Input {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    fn before(&self) -> usize {
        let mut letters = self.text[..self.cursor].grapheme_indices(true);
        letters.next_back().map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let mut letters = self.text[self.cursor..].graphemes(true);
        self.cursor + letters.next().map_or(0, str::len)
    }

    pub(super) fn left(&mut self) {
        self.cursor = self.before();
    }

    pub(super) fn right(&mut self) {
        self.cursor = self.after();
    }

    pub(super) fn home(&mut self) {
        self.cursor = 0;
    }

    pub(super) fn end(&mut self) {
        self.cursor = self.text.len();
    }

    pub(super) fn backspace(&mut self) {
        let before = self.before();
        self.text.replace_range(before..self.cursor, "");
        self.cursor = before;
    }

    pub(super) fn delete(&mut self) {
        let after = self.after();
        self.text.replace_range(self.cursor..after, "");
    }

    /// Deletes the word before the cursor and any spaces after that word.
    pub(super) fn delete_word(&mut self) {
        let kept = self.text[..self.cursor]
            .trim_end()
            .rfind(char::is_whitespace)
            .map_or(0, |at| at + 1);
        // A whitespace character can have more than one byte.
        let kept = (kept..=self.cursor).find(|at| self.text.is_char_boundary(*at));
        let kept = kept.unwrap_or(self.cursor);
        self.text.replace_range(kept..self.cursor, "");
        self.cursor = kept;
    }

    /// The part of the text to show in `room` columns, and the cursor's column.
    pub(super) fn shown(&self, room: usize) -> (String, usize) {
        let one_line = |text: &str| inert(text).replace('\n', LINE_FEED);
        let (before, after) = (
            one_line(&self.text[..self.cursor]),
            one_line(&self.text[self.cursor..]),
        );
        // The cursor itself needs a column.
        let most = room.saturating_sub(1);
        let (mut start, mut used) = (before.len(), 0);
        for (at, letter) in before.grapheme_indices(true).rev() {
            used += columns(letter);
            if used > most {
                break;
            }
            start = at;
        }
        let seen = &before[start..];
        (format!("{seen}{after}"), columns(seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphemes_are_edited_as_a_whole() {
        let mut input = Input::default();
        input.insert("ae\u{301}日");
        input.left();
        input.backspace();
        assert_eq!(input.text(), "a日");
        input.home();
        input.delete();
        input.end();
        input.insert(" two three ");
        input.delete_word();
        assert_eq!(input.text(), "日 two ");
        input.delete_word();
        input.delete_word();
        assert_eq!(input.text(), "");
        input.insert("a\u{3000}b");
        input.delete_word();
        assert_eq!(input.text(), "a\u{3000}");
        input.clear();
        input.left();
        input.right();
        input.backspace();
        input.delete();
        input.delete_word();
        assert!(input.is_empty());
    }

    #[test]
    fn the_cursor_is_always_visible() {
        let mut input = Input::default();
        input.insert("0123456789");
        assert_eq!(input.shown(5), ("6789".to_owned(), 4));
        input.home();
        assert_eq!(input.shown(5).1, 0);
        input.clear();
        input.insert("日本語");
        assert_eq!(input.shown(5), ("本語".to_owned(), 4));
        input.insert("\n\u{1b}");
        assert_eq!(input.shown(8).0, "本語\u{21b5}\u{241b}");
    }
}
