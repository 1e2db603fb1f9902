//! Strips numbering and decoration from a title.

/// Words that introduce a task's number (`Task 3`) or serve as its label (`Task:`).
const LABELS: &[&str] = &[
    "task",
    "subtask",
    "step",
    "substep",
    "phase",
    "stage",
    "milestone",
    "chunk",
    "batch",
    "part",
    "item",
    "iteration",
    "sprint",
    "wave",
    "ticket",
    "issue",
    "story",
    "epic",
    "section",
    "slice",
    "increment",
];

/// Words that state a task's status if a colon follows.
const STATUSES: &[&str] = &[
    "wip", "todo", "done", "next", "optional", "blocked", "draft", "urgent", "stretch", "pending", "later",
];

/// Labels that state the kind of work, so they count as words.
const KINDS: &[&str] = &[
    "bug",
    "bugfix",
    "chore",
    "ci",
    "doc",
    "docs",
    "documentation",
    "feat",
    "feature",
    "fix",
    "hotfix",
    "perf",
    "refactor",
    "rfc",
    "spike",
];

/// Names with a number that are not ticket ids, such as `UTF-8`.
const STANDARDS: &[&str] = &[
    "AES", "COVID", "CVE", "HTTP", "IEC", "IEEE", "ISO", "MD", "OWASP", "RFC", "RSA", "RS", "SHA", "TLS",
    "USB", "UTF",
];

/// Removes everything before the first meaningful word: numbers, checkboxes, symbols, brackets, labels.
pub(crate) fn undecorated(title: &str) -> &str {
    let mut rest = title.trim();
    if let Some(inner) = rest.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))
        && !inner.contains('`')
    {
        rest = inner;
    }
    loop {
        let bare = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && !"[({【`#".contains(c));
        let next = match bare.chars().next() {
            Some('#') => {
                let behind = bare.trim_start_matches('#');
                number(behind).map_or(behind, after_separator)
            }
            Some(open @ ('[' | '(' | '{' | '【')) => bracketed(bare, open),
            Some('`') => match code_label(bare) {
                Some(behind) => behind,
                None => return bare,
            },
            _ => match numbering(bare) {
                Some(behind) => behind,
                None => return bare,
            },
        };
        rest = next;
    }
}

/// The text after a closing bracket. If nothing follows, or if the bracketed text states the kind of work: the text
/// after the opening bracket.
fn bracketed(text: &str, open: char) -> &str {
    let close = match open {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        _ => '】',
    };
    let inside = &text[open.len_utf8()..];
    match inside.split_once(close) {
        Some((label, _)) if KINDS.contains(&label.trim().to_ascii_lowercase().as_str()) => inside,
        Some((_, behind)) if behind.contains(char::is_alphanumeric) => behind,
        _ => inside,
    }
}

/// The text after a number or label in backticks, if there is one.
fn code_label(text: &str) -> Option<&str> {
    let (inside, behind) = text.strip_prefix('`')?.split_once('`')?;
    let is_label = numbering(inside).is_some_and(|rest| !rest.contains(char::is_alphanumeric));
    is_label.then_some(behind)
}

/// The text after a leading number or label, if there is one.
fn numbering(text: &str) -> Option<&str> {
    let word_end = text
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let word = text[..word_end].to_ascii_lowercase();
    let behind = text[word_end..].trim_start();
    if LABELS.contains(&word.as_str()) {
        let behind = behind.trim_start_matches('#');
        if let Some(rest) = number(behind) {
            return Some(after_separator(rest));
        }
        if let Some(rest) = letter(behind) {
            return separated(rest);
        }
    }
    if LABELS.contains(&word.as_str()) || STATUSES.contains(&word.as_str()) {
        return behind.strip_prefix([':', '：']);
    }
    if let Some(rest) = number(text) {
        let dotted = text[..text.len() - rest.len()].contains('.');
        let spaced = rest.is_empty() || rest.starts_with(char::is_whitespace);
        let emphasized = rest.starts_with("**");
        return separated(rest).or_else(|| (emphasized || dotted && spaced).then_some(rest));
    }
    ticket(text, word_end)
}

/// The text after a ticket id: `T3:`, `ABC-123:`, `ABC-123`, `T012`, `**R2-d.5**`. The first `letters` bytes are
/// letters.
fn ticket(text: &str, letters: usize) -> Option<&str> {
    let code_end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && !"-._".contains(c))
        .unwrap_or(text.len());
    let (code, behind_code) = text.split_at(code_end);
    if behind_code.starts_with("**") && code.contains(|c: char| c.is_ascii_digit()) {
        return Some(behind_code);
    }
    let upper = (1..=10).contains(&letters) && text[..letters].bytes().all(|b| b.is_ascii_uppercase());
    let hyphened = text[letters..].strip_prefix('-');
    let rest = number(hyphened.unwrap_or(&text[letters..])).filter(|_| upper)?;
    let digits = code.bytes().filter(u8::is_ascii_digit).count();
    let numbered = if hyphened.is_some() {
        letters > 1 && !STANDARDS.contains(&&text[..letters])
    } else {
        &text[..letters] == "T" && digits > 1 || letters == 1 && code.contains('.')
    };
    if rest.is_empty() || numbered && rest.starts_with(char::is_whitespace) {
        Some(rest)
    } else {
        rest.strip_prefix([':', '：'])
    }
}

/// The text after a number such as `3`, `1.2.3`, `4b` or `two`.
fn number(text: &str) -> Option<&str> {
    const SPELLED: &[&str] = &[
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let word_end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
    if SPELLED.contains(&text[..word_end].to_lowercase().as_str()) {
        return separated(&text[word_end..]).map(|_| &text[word_end..]);
    }
    let mut rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == text.len() {
        return None;
    }
    while let Some(deeper) = rest.strip_prefix('.') {
        let behind = deeper.trim_start_matches(|c: char| c.is_ascii_digit());
        if behind.len() == deeper.len() {
            break;
        }
        rest = behind;
    }
    let lettered = rest.strip_prefix(|c: char| c.is_ascii_lowercase());
    let rest = lettered.unwrap_or(rest);
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The text after a single letter used as a number, with or without a digit: `A`, `D4`.
fn letter(text: &str) -> Option<&str> {
    text.strip_prefix(|c: char| c.is_ascii_alphabetic())
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .filter(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// The text after a separator, which is required: `3-way` is not a task number.
fn separated(text: &str) -> Option<&str> {
    let behind = text.trim_start();
    let rest = behind.strip_prefix([':', '：', '.', ')', ']', '-', '–', '—'])?;
    let clear =
        rest.is_empty() || !rest.starts_with(char::is_alphanumeric) || behind.starts_with([':', '：']);
    clear.then_some(rest)
}

fn after_separator(text: &str) -> &str {
    separated(text).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_boxes_symbols_and_labels_are_removed() {
        for title in [
            "Task 3: Add it",
            "task 3 Add it",
            "### Task 3.1: Add it",
            "Task 4b - Add it",
            "Task 3：Add it",
            "✅ Task 1: Add it",
            "Step 2. Add it",
            "Step two: Add it",
            "Phase A: Add it",
            "Phase 1 — Add it",
            "1. Add it",
            "1.2.3 Add it",
            "2) Add it",
            "03 - Add it",
            "#14 Add it",
            "- [ ] **Add it",
            "[x] Add it",
            "[Backend] (optional) Add it",
            "🚀 Add it",
            "wip: Add it",
            "Task: Add it",
            "`T3`: Add it",
            "T3: Add it",
            "ABC-123: Add it",
            "ABC-123 Add it",
            "T012 Add it",
            "T012 [P] [US1] Add it",
            "A7.2 Add it",
            "Task D4: Add it",
            "**3** Add it",
            "**3.1.4** Add it",
            "**R2-d.5** Add it",
            "【前端】Add it",
        ] {
            assert_eq!(undecorated(title), "Add it", "{title}");
        }
        assert_eq!(undecorated("`Add it`"), "Add it");
        assert_eq!(
            undecorated("[Add it]"),
            "Add it]",
            "a closing bracket does not matter"
        );
    }

    #[test]
    fn meaningful_words_are_kept() {
        for title in [
            "3-way merge",
            "404 page",
            "2FA login",
            "2.5D renderer",
            "UTF-8 support",
            "SHA-256 sums",
            "S3 sync",
            "H264 import",
            "Add 2 pages",
            "Part of speech tagger",
            "Phase gate",
            "Step functions",
            "`add` command",
            "Nextest",
        ] {
            assert_eq!(undecorated(title), title);
        }
        for title in [
            "", "   ", "#", "- [ ]", "Task 3", "Phase 2:", "✅", "[]", "(((", "`", "1.", "#1",
        ] {
            assert!(!undecorated(title).contains(char::is_alphabetic), "{title}");
        }
    }
}
