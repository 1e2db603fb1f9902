//! Helpers for Markdown text: they parse the start of a line and strip decoration.

use bugle_core::plan::TaskNumber;

/// The width of leading white space; a tab extends to the next multiple of four.
pub(super) fn indent(text: &str) -> usize {
    let mut columns = 0;
    for letter in text.chars() {
        match letter {
            ' ' => columns += 1,
            '\t' => columns = columns / 4 * 4 + 4,
            _ => break,
        }
    }
    columns
}

/// The list marker at the start of a trimmed string, and the text after it: `- x`, `* x`, `3. x`, `3) x`.
pub(super) fn list_item(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let width = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let (marker, rest) = text.split_at(width);
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| (marker, rest.trim_start()))
}

/// The text after all list markers at the start of a trimmed string.
pub(super) fn past_list_markers(mut text: &str) -> &str {
    while let Some((_, rest)) = list_item(text) {
        text = rest;
    }
    text
}

/// A checkbox at the start of a list item: whether it is checked, and the text after it.
pub(super) fn checkbox(text: &str) -> Option<(bool, &str)> {
    let inner = text.strip_prefix('[')?;
    let sign = inner.chars().next()?;
    let rest = inner[sign.len_utf8()..].strip_prefix(']')?;
    let parted = rest.is_empty() || rest.starts_with([' ', '\t', '*']);
    (parted && " xX~-/✓✔".contains(sign)).then(|| ("xX✓✔".contains(sign), rest.trim_start()))
}

/// A string without the backslash that escapes its first character.
pub(super) fn unescaped(text: &str) -> &str {
    let rest = text.strip_prefix('\\').unwrap_or(text);
    if rest.starts_with(['\\', '#', '>', '[', '-', '+', '~', '`', '<']) {
        rest
    } else {
        text
    }
}

/// Whether a string has letters or digits.
pub(super) fn has_words(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Text on one line, with single spaces.
pub(super) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text without complete comments. Each comment leaves a space, so that words do not join.
pub(super) fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find("<!--") {
        let Some(length) = rest[open..].find("-->") else {
            break;
        };
        clean.push_str(&rest[..open]);
        clean.push(' ');
        rest = &rest[open + length + "-->".len()..];
    }
    clean.push_str(rest);
    clean
}

/// A title on one line, without unbalanced emphasis left over from its number.
pub(super) fn clean_title(text: &str) -> String {
    let mut title = squeeze(&without_comments(text));
    loop {
        let before = title.len();
        for mark in ["**", "__", "~~"] {
            if title.matches(mark).count() % 2 == 1 {
                let trimmed = title.strip_suffix(mark).or_else(|| title.strip_prefix(mark));
                title = trimmed.unwrap_or(&title).trim().to_owned();
            }
        }
        for mark in ["**", "__", "~~"] {
            let inner = title.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
            if let Some(inner) = inner.filter(|inner| !inner.contains(mark)) {
                title = inner.trim().to_owned();
            }
        }
        // One kind of emphasis can enclose another, so repeat until nothing changes.
        if title.len() == before {
            return title;
        }
    }
}

/// The text after `word` if `text` starts with that word, ignoring case.
pub(super) fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    let rest = &text[word.len()..];
    let ends = !rest.starts_with(char::is_alphabetic);
    (head.eq_ignore_ascii_case(word) && ends).then_some(rest)
}

/// A number at the start of a string, and the text after it: `3`, `3.1`, `4b`, `T12`, `3-5`.
pub(super) fn number(text: &str) -> Option<(TaskNumber, &str)> {
    const MAX_DIGITS: usize = 9;
    let bytes = text.as_bytes();
    let digits_from = |at: usize| {
        bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let letters = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    if letters > 3 {
        return None;
    }
    let digits = digits_from(letters);
    if digits == 0 || digits > MAX_DIGITS {
        return None;
    }
    let mut end = letters + digits;
    let letter_at = |at: usize| {
        let alone = !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        bytes.get(at).is_some_and(u8::is_ascii_alphabetic) && alone
    };
    loop {
        let dash = ["-", "–"].into_iter().find(|dash| text[end..].starts_with(dash));
        if letter_at(end) {
            end += 1;
        } else if bytes.get(end) == Some(&b'.') && (1..=MAX_DIGITS).contains(&digits_from(end + 1)) {
            end += 1 + digits_from(end + 1);
        } else if bytes.get(end) == Some(&b'.') && letter_at(end + 1) {
            end += 2;
        } else if let Some(dash) = dash
            && (1..=MAX_DIGITS).contains(&digits_from(end + dash.len()))
        {
            end += dash.len() + digits_from(end + dash.len());
        } else {
            break;
        }
    }
    let (number, rest) = text.split_at(end);
    let ends = !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
    ends.then(|| (TaskNumber::new(number), rest))
}

/// The text after a separator between number and title: one of `: ： — – - .`.
pub(super) fn separator(text: &str) -> Option<&str> {
    let trimmed = text.trim_start();
    let spaced = trimmed.len() < text.len();
    let sign = trimmed.chars().next()?;
    let rest = &trimmed[sign.len_utf8()..];
    let then_space = rest.is_empty() || rest.starts_with(char::is_whitespace);
    match sign {
        ':' | '：' | '—' | '–' => Some(rest),
        '-' if rest.starts_with('-') => Some(rest.trim_start_matches('-')),
        '-' if spaced || then_space => Some(rest),
        '.' if then_space => Some(rest),
        _ => None,
    }
}

/// Whether the text of a dependency list means "no dependencies". `No new packages` does not.
pub(super) fn is_nothing(text: &str) -> bool {
    let small = text
        .trim_matches(|sign: char| "*_(). ".contains(sign))
        .to_lowercase();
    ["none", "nothing", "n/a", "na"].contains(&first_word(&small).as_str())
        || ["no", "no dependencies", "no task", "no tasks", "-", "–", "—"].contains(&small.as_str())
}

/// The first word in lower case, without emphasis and punctuation.
pub(super) fn first_word(text: &str) -> String {
    let bare = text.trim_start_matches(['*', '_', '(', ' ']);
    let word = bare.split(|sign: char| sign.is_whitespace() || ",.;:*_()".contains(sign));
    word.take(1).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_includes_its_parts_and_letters() {
        let read = |text| number(text).map(|(number, rest)| (number.as_str().to_owned(), rest));
        let is = |number: &str, rest| Some((number.to_owned(), rest));
        assert_eq!(read("3: x"), is("3", ": x"));
        assert_eq!(read("3.1: x"), is("3.1", ": x"));
        assert_eq!(read("3. x"), is("3", ". x"));
        assert_eq!(read("4b: x"), is("4b", ": x"));
        assert_eq!(read("4b.2 x"), is("4b.2", " x"));
        assert_eq!(read("3.a: x"), is("3.a", ": x"));
        assert_eq!(read("T12: x"), is("T12", ": x"));
        assert_eq!(read("3-5: x"), is("3-5", ": x"));
        assert_eq!(read("3-way merge"), is("3", "-way merge"));
        assert_eq!(read("3's"), is("3", "'s"));
        assert_eq!(read("3rd try"), None);
        assert_eq!(read("N: x"), None);
        assert_eq!(read("1234567890: x"), None);
    }

    #[test]
    fn a_separator_ends_the_number() {
        for text in [": x", "： x", " — x", " – x", " - x", ". x", "- x", " -- x"] {
            assert_eq!(separator(text).map(str::trim), Some("x"), "{text}");
        }
        for text in ["-way merge", " progress", ".5", ""] {
            assert_eq!(separator(text), None, "{text}");
        }
    }

    #[test]
    fn titles_lose_unbalanced_emphasis() {
        assert_eq!(clean_title(" Foo  bar** "), "Foo bar");
        assert_eq!(clean_title("** Foo"), "Foo");
        assert_eq!(clean_title("**Foo** bar"), "**Foo** bar");
        assert_eq!(clean_title("**Foo**"), "Foo");
        assert_eq!(clean_title("Foo <!-- id: 3 -->"), "Foo");
    }
}
