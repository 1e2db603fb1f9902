//! Status marks in headings: check marks, crosses, checkboxes, and words in brackets.

use bugle_core::plan::{MarkMeaning, StatusMark};

const SIGNS: [(&str, MarkMeaning); 29] = {
    use MarkMeaning::{Active, Blocked, Done, Failed, Pending, Skipped};
    [
        ("✅", Done),
        ("☑", Done),
        ("✔", Done),
        ("✓", Done),
        ("🟢", Done),
        ("🎉", Done),
        ("🔄", Active),
        ("🚧", Active),
        ("⏳", Active),
        ("⌛", Active),
        ("🟡", Active),
        ("🔵", Active),
        ("▶", Active),
        ("⛔", Blocked),
        ("🚫", Blocked),
        ("⏸", Blocked),
        ("🛑", Blocked),
        ("❌", Failed),
        ("✗", Failed),
        ("✘", Failed),
        ("🔴", Failed),
        ("⏭", Skipped),
        ("⬜", Pending),
        ("☐", Pending),
        ("🔲", Pending),
        ("⚪", Pending),
        ("◻", Pending),
        ("□", Pending),
        ("⬛", Pending),
    ]
};

/// The variation selector that requests the emoji form of a symbol. It is part of the symbol.
const COLOURED: char = '\u{fe0f}';

/// A mark at the start, and the text after it.
pub(super) fn leading_mark(text: &str) -> Option<(StatusMark, &str)> {
    let sign = SIGNS.iter().find(|(sign, _)| text.starts_with(sign));
    if let Some((sign, meaning)) = sign {
        let rest = &text[sign.len()..];
        let rest = rest.strip_prefix(COLOURED).unwrap_or(rest);
        return Some((mark(sign, *meaning), rest));
    }
    let close = match text.chars().next()? {
        '[' => ']',
        '(' => ')',
        _ => return None,
    };
    let end = text.find(close)? + 1;
    let meaning = bracketed(&text[1..end - 1])?;
    Some((mark(&text[..end], meaning), &text[end..]))
}

/// A mark at the end, and the text before it.
pub(super) fn trailing_mark(text: &str) -> Option<(&str, StatusMark)> {
    let bare = text.strip_suffix(COLOURED).unwrap_or(text);
    let sign = SIGNS.iter().find(|(sign, _)| bare.ends_with(sign));
    if let Some((sign, meaning)) = sign {
        return Some((&bare[..bare.len() - sign.len()], mark(sign, *meaning)));
    }
    let open = match text.chars().next_back()? {
        ']' => '[',
        ')' => '(',
        _ => return None,
    };
    let start = text.rfind(open)?;
    let meaning = bracketed(&text[start + 1..text.len() - 1])?;
    Some((&text[..start], mark(&text[start..], meaning)))
}

fn mark(written: &str, meaning: MarkMeaning) -> StatusMark {
    StatusMark {
        written: written.to_owned(),
        meaning,
    }
}

/// The meaning of a word in brackets: `[x]`, `[ ]`, `(DONE)`, `[✅ done]`.
fn bracketed(word: &str) -> Option<MarkMeaning> {
    const MAX_LENGTH: usize = 24;
    if word == " " {
        return Some(MarkMeaning::Pending);
    }
    if word.len() > MAX_LENGTH || word.contains(['[', ']', '(', ')']) {
        return None;
    }
    let word = word.trim();
    if let Some((_, meaning)) = SIGNS.iter().find(|(sign, _)| word.starts_with(sign)) {
        return Some(*meaning);
    }
    match word.to_lowercase().as_str() {
        "x" | "done" | "complete" | "completed" | "finished" => Some(MarkMeaning::Done),
        "~" | "wip" | "in progress" | "in-progress" | "active" | "started" => Some(MarkMeaning::Active),
        "blocked" | "on hold" | "waiting" => Some(MarkMeaning::Blocked),
        "failed" => Some(MarkMeaning::Failed),
        "-" | "skipped" | "skip" | "dropped" => Some(MarkMeaning::Skipped),
        "todo" | "pending" | "not started" | "open" => Some(MarkMeaning::Pending),
        _ => None,
    }
}
