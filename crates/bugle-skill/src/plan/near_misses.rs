//! Lines that look like tasks and are none, because they are no headings.

use bugle_core::plan::{Note, NoteKind};

use super::heading::{Heading, announced};
use super::lines::{Kind, Line};
use super::text::{checkbox, past_list_markers, squeeze};

/// Notes `**Task 3: ...**` on a line of its own, `###Task 3: ...`, and `- [ ] Task 3: ...`.
pub(super) fn check(lines: &[Line<'_>], kinds: &[Kind], notes: &mut Vec<Note>) {
    for (index, line) in lines
        .iter()
        .enumerate()
        .filter(|(index, _)| kinds[*index] == Kind::Text)
    {
        let body = line.text.trim();
        let bold = body.starts_with("**") && body.ends_with("**") && body.matches("**").count() == 2;
        let unparted = body.starts_with('#');
        let item = checkbox(past_list_markers(body)).map(|(_, rest)| rest);
        let text = match item {
            Some(rest) => rest,
            None if bold || unparted => body,
            None => continue,
        };
        if matches!(announced(text), Heading::Task(_)) {
            notes.push(Note {
                line: index + 1,
                kind: NoteKind::NotAHeading { text: squeeze(body) },
            });
        }
    }
}
