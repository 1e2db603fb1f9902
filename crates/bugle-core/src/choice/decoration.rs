//! What only numbers or decorates a title, and is left out before its words are looked at.

/// Words that number a task when a number follows, or label it when a colon does.
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

/// Words that say how a task stands, when a colon follows.
const STATUSES: &[&str] = &[
    "wip", "todo", "done", "next", "optional", "blocked", "draft", "urgent", "stretch", "pending", "later",
];

/// Leaves out what stands before the first word that says something: numbers, boxes, glyphs, brackets, labels.
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

/// What follows a bracket, or what is in it if nothing follows.
fn bracketed(text: &str, open: char) -> &str {
    let close = match open {
        '[' => ']',
        '(' => ')',
        '{' => '}',
        _ => '】',
    };
    let inside = &text[open.len_utf8()..];
    match inside.split_once(close) {
        Some((_, behind)) if behind.contains(char::is_alphanumeric) => behind,
        _ => inside,
    }
}

/// What follows a number or label that stands between backticks.
fn code_label(text: &str) -> Option<&str> {
    let (inside, behind) = text.strip_prefix('`')?.split_once('`')?;
    let is_label = numbering(inside).is_some_and(|rest| !rest.contains(char::is_alphanumeric));
    is_label.then_some(behind)
}

/// What follows a number or label at the beginning, if one stands there.
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
        return separated(rest).or_else(|| (dotted && spaced).then_some(rest));
    }
    // A ticket: `T3:`, `ABC-123:`.
    let upper = word_end > 0 && word_end <= 10 && text[..word_end].bytes().all(|b| b.is_ascii_uppercase());
    let ticket = text[word_end..].strip_prefix('-').unwrap_or(&text[word_end..]);
    number(ticket).filter(|_| upper).and_then(|rest| {
        if rest.is_empty() {
            Some(rest)
        } else {
            rest.strip_prefix([':', '：'])
        }
    })
}

/// What follows a number such as `3`, `1.2.3`, `4b` or `two`.
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

/// What follows a single letter that numbers something.
fn letter(text: &str) -> Option<&str> {
    text.strip_prefix(|c: char| c.is_ascii_alphabetic())
        .filter(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// What follows a separator, which has to be there: `3-way` is no number of a task.
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
    fn numbers_boxes_glyphs_and_labels_are_left_out() {
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
            "【前端】Add it",
        ] {
            assert_eq!(undecorated(title), "Add it", "{title}");
        }
        assert_eq!(undecorated("`Add it`"), "Add it");
        assert_eq!(
            undecorated("[Add it]"),
            "Add it]",
            "the words are read either way"
        );
    }

    #[test]
    fn what_says_something_stays() {
        for title in [
            "3-way merge",
            "404 page",
            "2FA login",
            "2.5D renderer",
            "UTF-8 support",
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
