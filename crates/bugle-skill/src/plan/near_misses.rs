//! Lines that look like tasks or steps but are not: tasks that are not headings, and steps outside tasks.

use std::collections::BTreeSet;

use bugle_core::plan::{NoteKind, PlanNote};

use super::heading::{Heading, announced, heading_text};
use super::lines::{Kind, Line};
use super::step_words::step_words;
use super::text::{checkbox, past_list_markers, squeeze};
use super::tree::Branch;

/// Adds notes for `**Task 3: ...**` on its own line, `###Task 3: ...`, and `- [ ] Task 3: ...`.
pub(super) fn check(lines: &[Line<'_>], kinds: &[Kind], branches: &[Branch], notes: &mut Vec<PlanNote>) {
    let read: BTreeSet<usize> = branches.iter().map(|branch| branch.first).collect();
    for (index, line) in lines
        .iter()
        .enumerate()
        .filter(|(index, _)| kinds[*index] == Kind::Text && !read.contains(index))
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
            notes.push(PlanNote {
                line: index + 1,
                kind: NoteKind::NotAHeading { text: squeeze(body) },
            });
        }
    }
}

/// Words in headings below which checkboxes are not steps.
const CHECKLISTS: [&str; 10] = [
    "acceptance",
    "checklist",
    "criteria",
    "done",
    "handoff",
    "prerequisites",
    "requirements",
    "review",
    "risks",
    "verification",
];

/// Adds a note for the steps outside tasks, one per section. If the plan has no tasks, adds a note about that instead.
pub(super) fn steps_outside(
    lines: &[Line<'_>],
    kinds: &[Kind],
    branches: &[Branch],
    notes: &mut Vec<PlanNote>,
) {
    let mut is_inside = vec![false; lines.len()];
    let tasks = branches.iter().filter(|branch| branch.group.is_none());
    for line in tasks.clone().flat_map(|task| task.first..task.end) {
        is_inside[line] = true;
    }
    if tasks.count() == 0 {
        return;
    }
    let mut is_checklist = false;
    let mut found: Option<(usize, usize)> = None;
    for (index, line) in lines.iter().enumerate() {
        let mut is_step = false;
        match kinds[index] {
            Kind::Heading(_) => {
                let heading = heading_text(line.text);
                is_step = matches!(announced(&heading), Heading::Step(_));
                is_checklist = heading
                    .split(|letter: char| !letter.is_alphanumeric())
                    .any(|word| CHECKLISTS.iter().any(|known| known.eq_ignore_ascii_case(word)));
                flush(&mut found, notes);
            }
            Kind::Text => {
                let body = line.text.trim();
                let content = past_list_markers(body);
                let boxed = checkbox(content).filter(|_| content.len() < body.len());
                let words = boxed.map_or(content, |(_, rest)| rest);
                is_step = step_words(words).is_some() || (boxed.is_some() && !is_checklist);
            }
            _ => {}
        }
        if is_step && !is_inside[index] {
            let (_, count) = found.get_or_insert((index + 1, 0));
            *count += 1;
        }
    }
    flush(&mut found, notes);
}

fn flush(found: &mut Option<(usize, usize)>, notes: &mut Vec<PlanNote>) {
    notes.extend(found.take().map(|(line, count)| PlanNote {
        line,
        kind: NoteKind::StepsOutside { count },
    }));
}
