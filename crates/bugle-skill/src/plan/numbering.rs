//! Checks task numbers: duplicates, gaps, and parts at the same level as their parents.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::plan::{NoteKind, PlanNote, TaskNumber};

use super::tree::Branch;

/// Adds notes about the numbers of tasks in file order.
pub(super) fn check(branches: &[Branch], notes: &mut Vec<PlanNote>) {
    let numbered = branches.iter().filter(|branch| branch.group.is_none());
    let tasks: Vec<(&Branch, &TaskNumber)> = numbered
        .filter_map(|branch| Some((branch, branch.number.as_ref()?)))
        .collect();
    duplicates(&tasks, notes);
    gaps(&tasks, notes);
    let mut places = BTreeMap::new();
    for (branch, number) in &tasks {
        places.entry(number.key()).or_insert((*branch, *number));
    }
    let bare: BTreeSet<usize> = notes
        .iter()
        .filter(|note| matches!(note.kind, NoteKind::BareNumber { .. }))
        .map(|note| note.line)
        .collect();
    for (branch, number) in &tasks {
        let mut say = |kind| {
            notes.push(PlanNote {
                line: branch.first + 1,
                kind,
            });
        };
        let number = (*number).clone();
        if branch.title.is_empty() && !bare.contains(&(branch.first + 1)) {
            say(NoteKind::NoTitle {
                number: number.clone(),
            });
        }
        if number.as_str().contains(['-', '–']) {
            say(NoteKind::NumberSpan {
                number: number.clone(),
            });
        }
        let key = number.key();
        let whole = key.rsplit_once('.').and_then(|(whole, _)| places.get(whole));
        if let Some((_, whole)) =
            whole.filter(|(other, _)| other.level == branch.level && other.parent == branch.parent)
        {
            let whole = (*whole).clone();
            say(NoteKind::PartBesideWhole { number, whole });
        }
    }
}

/// Adds a note for each duplicate under one parent. If numbers restart under another parent, adds a note only for the
/// first duplicate there.
fn duplicates(tasks: &[(&Branch, &TaskNumber)], notes: &mut Vec<PlanNote>) {
    let mut everywhere: BTreeMap<String, usize> = BTreeMap::new();
    let mut under_parent = BTreeMap::new();
    let mut said_for = BTreeSet::new();
    for (branch, number) in tasks {
        let key = number.key();
        let own = under_parent.get(&(branch.parent, key.clone())).copied();
        let elsewhere = everywhere.get(&key).copied();
        let first = own.or_else(|| elsewhere.filter(|_| said_for.insert(branch.parent)));
        if let Some(first_line) = first {
            notes.push(PlanNote {
                line: branch.first + 1,
                kind: NoteKind::DuplicateNumber {
                    number: (*number).clone(),
                    first_line,
                },
            });
        }
        everywhere.entry(key.clone()).or_insert(branch.first + 1);
        under_parent
            .entry((branch.parent, key))
            .or_insert(branch.first + 1);
    }
}

fn gaps(tasks: &[(&Branch, &TaskNumber)], notes: &mut Vec<PlanNote>) {
    let present: BTreeSet<u32> = tasks.iter().filter_map(|(_, number)| number.leading()).collect();
    for pair in tasks.windows(2) {
        let (_, after) = pair[0];
        let (branch, found) = pair[1];
        let (Some(before), Some(here)) = (after.leading(), found.leading()) else {
            continue;
        };
        let next = before.saturating_add(1);
        if here > next && !present.contains(&next) {
            notes.push(PlanNote {
                line: branch.first + 1,
                kind: NoteKind::NumberGap {
                    after: after.clone(),
                    found: found.clone(),
                },
            });
        }
    }
}
