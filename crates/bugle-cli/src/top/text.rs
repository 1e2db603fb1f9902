//! Prepares text for the screen: sanitizes it, measures it in columns, wraps and cuts it.

use bugle_render::text::printable;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

/// The maximum number of characters in a grapheme. No real script needs more.
const MOST_OF_A_LETTER: usize = 8;
/// Replaces a tab.
const TAB: &str = "    ";

/// Sanitizes text for the terminal: replaces control characters, bidirectional controls and invisible characters.
pub(super) fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in printable(text).graphemes(true) {
        for character in letter.chars().take(MOST_OF_A_LETTER) {
            match character {
                '\t' => out.push_str(TAB),
                '\u{2028}' | '\u{2029}' => out.push('\n'),
                _ if is_unseen(character) => out.push(char::REPLACEMENT_CHARACTER),
                _ => out.push(character),
            }
        }
    }
    out
}

/// Bidirectional controls and invisible characters, except the zero-width joiner used in emoji.
fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{200E}'
            | '\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// Like [`inert`], but joins the text into one line.
pub(super) fn inert_line(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(inert).collect();
    words.join(" ").replace('\n', " ")
}

/// The width of text in columns.
pub(super) fn columns(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Truncates text to `room` columns, and ends it with three dots.
pub(super) fn cut(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let dots = "...".get(..room.min(3)).unwrap_or_default();
    let mut out = String::new();
    let mut left = room - dots.len();
    for letter in text.graphemes(true) {
        let width = letter.width();
        if width > left {
            break;
        }
        left -= width;
        out.push_str(letter);
    }
    out + dots
}

/// Wraps text into lines of at most `room` columns, between words where possible.
pub(super) fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        wrap_line(line, room.max(2), &mut lines);
    }
    lines
}

fn wrap_line(text: &str, room: usize, lines: &mut Vec<String>) {
    let mut line = String::new();
    let mut used = 0;
    for word in words_and_spaces(text) {
        let width = columns(word);
        if used + width <= room {
            line.push_str(word);
            used += width;
            continue;
        }
        if word.trim().is_empty() {
            // Break the line at the space.
            lines.push(std::mem::take(&mut line));
            used = 0;
            continue;
        }
        if width <= room {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
            line.push_str(word);
            used = width;
            continue;
        }
        // Only a word that is longer than a line is broken.
        for letter in word.graphemes(true) {
            let width = letter.width();
            if used + width > room {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            line.push_str(letter);
            used += width;
        }
    }
    lines.push(line);
}

/// The words of a text and the spaces between them, in order.
fn words_and_spaces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let ends = |letter: char| letter.is_whitespace() != first.is_whitespace();
        let (piece, behind) = rest.split_at(rest.find(ends).unwrap_or(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced() {
        let hostile = "a\u{1b}[31mred\u{7}\u{9b}x\u{202e}abc\u{200b}\tend\r\nnext\u{2028}last\u{feff}";
        let shown = inert(hostile);
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        assert_eq!(
            shown,
            "a\u{241b}[31mred\u{2407}\u{fffd}x\u{fffd}abc\u{fffd}    end\nnext\nlast\u{fffd}"
        );
        assert_eq!(inert_line("one\n two\u{1b}"), "one two\u{241b}");
        let pile = format!("a{}b", "\u{301}".repeat(500));
        assert_eq!(inert(&pile).chars().count(), MOST_OF_A_LETTER + 1);
    }

    #[test]
    fn lines_are_measured_in_columns() {
        assert_eq!(columns("日本"), 4);
        assert_eq!(columns("e\u{301}"), 1);
        assert_eq!(cut("日本語です", 7), "日本...");
        assert_eq!(cut("short", 5), "short");
        assert_eq!(cut("longer", 2), "..");
        assert_eq!(wrap("a few words here", 8), ["a few", "words", "here"]);
        assert_eq!(
            wrap("see r-7f3a#12, well-known.", 12),
            ["see", "r-7f3a#12,", "well-known."]
        );
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrap("one\n\ntwo", 9), ["one", "", "two"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 3), [""]);
    }
}
