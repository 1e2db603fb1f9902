//! References to tasks and groups in a sentence: `Task 2`, `Tasks 1-3 and 5`, `Phase 1`.

use bugle_core::plan::{GroupKind, TaskNumber};

use super::text::{after_word, number};

/// A task, a group, or a range of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reference {
    /// A single task or group. `None` means a task.
    One(Option<GroupKind>, TaskNumber),
    /// A range of numbers, inclusive.
    Span(Option<GroupKind>, u32, u32),
}

impl Reference {
    /// The reference in its usual form.
    pub(super) fn written(&self) -> String {
        let word = |kind: &Option<GroupKind>| kind.map_or("Task", GroupKind::word);
        match self {
            Self::One(kind, number) => format!("{} {number}", word(kind)),
            Self::Span(kind, first, last) => format!("{}s {first}-{last}", word(kind)),
        }
    }
}

/// The maximum length of a range of tasks.
const WIDEST_SPAN: u32 = 100;

/// All references in a string. With `bare`, the string may start with plain numbers: `2, 3`.
pub(super) fn references(text: &str, bare: bool) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut rest = text;
    if bare {
        let (named, after) = list(text.trim_start_matches([' ', '*', '_', '(']), None);
        found.extend(named);
        rest = after;
    }
    while !rest.is_empty() {
        let hash = rest.strip_prefix('#').filter(|_| bare).map(|after| (None, after));
        if let Some((kind, after)) = kind(rest).or(hash) {
            let (named, after) = list(after, kind);
            found.extend(named);
            rest = if after == rest { past_word(rest) } else { after };
        } else {
            rest = past_word(rest);
        }
    }
    found
}

/// The references at the start of a string: `Task 2 and Task 3`, `#2, #3`.
pub(super) fn references_at_start(text: &str) -> Vec<Reference> {
    leading_references(text).0
}

/// The references at the start of a string, and the rest after them.
pub(super) fn leading_references(text: &str) -> (Vec<Reference>, &str) {
    let text = text.trim_start_matches([' ', '*', '_']);
    let text = after_word(text, "both")
        .or_else(|| after_word(text, "the"))
        .unwrap_or(text)
        .trim_start();
    let hash = || text.strip_prefix('#').map(|rest| (None, rest));
    kind(text)
        .or_else(hash)
        .map_or_else(|| (Vec::new(), text), |(kind, rest)| list(rest, kind))
}

/// `Task`, `Tasks`, `Phase` and so on, and the text after it.
fn kind(text: &str) -> Option<(Option<GroupKind>, &str)> {
    let kinds =
        std::iter::once((None, "Task")).chain(GroupKind::WORDED.map(|kind| (Some(kind), kind.word())));
    kinds
        .filter(|(_, word)| {
            text.get(..word.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(word))
        })
        .find_map(|(kind, word)| {
            let rest = &text[word.len()..];
            let rest = rest.strip_prefix(['s', 'S']).unwrap_or(rest);
            (!rest.starts_with(char::is_alphabetic)).then_some((kind, rest))
        })
}

/// The text after the next word.
fn past_word(text: &str) -> &str {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric())
        .unwrap_or(text.len());
    let rest = &text[end..];
    let next = |letter: char| letter.is_alphanumeric() || letter == '#';
    let skipped = rest.find(next).unwrap_or(rest.len());
    // A character that cannot start a number is skipped.
    let skipped = if end + skipped == 0 { 1 } else { skipped };
    &rest[skipped..]
}

/// A list of numbers: ` 1, 2 and 4-6`.
fn list(text: &str, named: Option<GroupKind>) -> (Vec<Reference>, &str) {
    let mut found: Vec<Reference> = Vec::new();
    let mut rest = text;
    let mut until = false;
    loop {
        let start = rest.trim_start_matches([' ', '\t', '#', '*', '`', '[']);
        // The word may be repeated: `Task 2 and Task 3`. Another word starts another list.
        let again = kind(start)
            .filter(|(kind, _)| !found.is_empty() && *kind == named)
            .map(|(_, rest)| rest);
        let start = again
            .unwrap_or(start)
            .trim_start_matches([' ', '\t', '#', '*', '`', '[']);
        let Some((number, after)) = number(start) else {
            return (found, rest);
        };
        push(&mut found, named, &number, until);
        rest = after;
        let next = after.trim_start_matches([' ', '\t', '*', '`', ']']);
        let joint = JOINTS
            .iter()
            .find_map(|(joint, span)| Some((joint_end(next, joint)?, *span)));
        let Some((after, span)) = joint else {
            return (found, rest);
        };
        (rest, until) = (after, span);
    }
}

/// The separators of a list of numbers, and whether they mean a range.
const JOINTS: [(&str, bool); 12] = [
    (", and ", false),
    (", ", false),
    (",", false),
    ("and ", false),
    ("& ", false),
    ("+ ", false),
    ("/", false),
    ("or ", false),
    ("to ", true),
    ("through ", true),
    ("– ", true),
    ("- ", true),
];

fn joint_end<'a>(text: &'a str, joint: &str) -> Option<&'a str> {
    let head = text.get(..joint.len())?;
    head.eq_ignore_ascii_case(joint).then(|| &text[joint.len()..])
}

fn push(found: &mut Vec<Reference>, kind: Option<GroupKind>, number: &TaskNumber, until: bool) {
    let ends = number.as_str().split_once(['-', '–']);
    let span = match (ends, found.last(), until) {
        (Some((first, last)), ..) => first.parse().ok().zip(last.parse().ok()),
        (None, Some(Reference::One(_, first)), true) => first.leading().zip(number.leading()),
        _ => None,
    };
    match span {
        Some((first, last)) if first <= last && last - first <= WIDEST_SPAN => {
            if until {
                found.pop();
            }
            found.push(Reference::Span(kind, first, last));
        }
        _ => found.push(Reference::One(kind, number.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_groups_are_found_in_sentences() {
        let read = |text| {
            references(text, true)
                .iter()
                .map(Reference::written)
                .collect::<Vec<_>>()
                .join(" | ")
        };
        assert_eq!(read("Task 2"), "Task 2");
        assert_eq!(read("Task 2, Task 3b and Phase 1"), "Task 2 | Task 3b | Phase 1");
        assert_eq!(read("Tasks 1-3, 5"), "Tasks 1-3 | Task 5");
        assert_eq!(read("tasks 1 through 3"), "Tasks 1-3");
        assert_eq!(read("2, 3"), "Task 2 | Task 3");
        assert_eq!(read("#2 (schema), #4"), "Task 2 | Task 4");
        assert_eq!(read("# and ## nothing"), "");
        assert_eq!(read("**Task 2** (2 files)"), "Task 2");
        assert_eq!(read("Task 2 (schema) and Task 3 (routes)"), "Task 2 | Task 3");
        assert_eq!(read("the database"), "");
        assert_eq!(read("Tasks 1-900000000"), "Task 1-900000000");
    }
}
