//! Helpers that join, shorten, wrap and measure text for drawings.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The font size of names, in the layout's units.
pub(super) const NAME_SIZE: f64 = 14.0;
/// The font size of identifiers and captions.
pub(super) const SMALL_SIZE: f64 = 11.5;

/// The text on one line, without anything that could control a terminal.
///
/// White space becomes one space. Control characters, marks that change the writing direction, U+FFFE and U+FFFF
/// become the replacement character.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words
        .join(" ")
        .chars()
        .map(|c| {
            if is_unprintable(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// The text, cut to `columns` terminal columns with an ellipsis if it is longer.
pub(super) fn shorten(text: &str, columns: usize) -> String {
    cut(text, |part| part.width() <= columns)
}

/// The text, cut with an ellipsis until it is at most `width` units wide.
fn shorten_to_units(text: &str, size: f64, width: f64) -> String {
    cut(text, |part| units(part, size) <= width)
}

fn cut(text: &str, fits: impl Fn(&str) -> bool) -> String {
    if fits(text) {
        return text.to_owned();
    }
    let mut best = String::new();
    for (end, _) in text.char_indices() {
        let candidate = format!("{}…", text[..end].trim_end());
        if !fits(&candidate) {
            break;
        }
        best = candidate;
    }
    best
}

/// An upper estimate of the text's width in a sans-serif font of the given size. The reader's font is not known.
pub(super) fn units(text: &str, size: f64) -> f64 {
    text.chars().map(ems).sum::<f64>() * size
}

fn ems(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | ';' | '|' | '!' | ' ' => 0.34,
        'f' | 'r' | 't' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 0.43,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' | '—' => 1.0,
        'A'..='Z' => 0.76,
        _ => match c.width().unwrap_or(1) {
            0 => 0.0,
            1 if c.is_ascii() => 0.62,
            1 => 0.75,
            _ => 1.1,
        },
    }
}

/// The text in at most `lines` lines of at most `width` units, with an ellipsis if it does not fit. Words that are
/// too long for a line are broken.
pub(super) fn wrap(text: &str, size: f64, width: f64, lines: usize) -> Vec<String> {
    let mut wrapped: Vec<String> = Vec::new();
    let mut rest = one_line(text);
    while !rest.is_empty() && wrapped.len() < lines {
        if wrapped.len() + 1 == lines {
            wrapped.push(shorten_to_units(&rest, size, width));
            break;
        }
        let end = line_end(&rest, size, width);
        wrapped.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start().to_owned();
    }
    wrapped
}

/// The byte offset at which the text's first line ends. The line ends after the last word that fits, or inside the
/// first word if that word is too long. The line has at least one character.
fn line_end(text: &str, size: f64, width: f64) -> usize {
    let mut used = 0.0;
    let mut after_word = None;
    for (index, c) in text.char_indices() {
        if c == ' ' {
            after_word = Some(index);
        }
        used += ems(c) * size;
        if used > width && index > 0 && c != ' ' {
            return after_word.unwrap_or(index);
        }
    }
    text.len()
}
