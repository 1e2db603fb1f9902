//! Chooses how the fences of a plan are paired.
//!
//! Authors nest code blocks whose fences all have three marks. No single rule pairs all of them correctly, so each rule
//! is tried, from the standard rule to the most lenient. The first rule that gives consecutive task numbers wins: every
//! number once, none missing, every block closed.

use std::collections::BTreeSet;

use bugle_core::plan::{FenceReading, NoteKind, PlanNote, TaskNumber};

use super::heading::{Heading, announced, heading_text};
use super::lines::{Kind, Line, Seen, look};

/// The kind of each line, and notes about the choice.
pub(super) fn choose(lines: &[Line<'_>], notes: &mut Vec<PlanNote>) -> Seen {
    let paired = Attempt::new(lines, FenceReading::Paired);
    let fenced = paired.seen.kinds.contains(&Kind::Fence);
    let chosen = if fenced {
        best(lines, paired, notes)
    } else {
        paired
    };
    let note = |line: usize, kind| PlanNote { line: line + 1, kind };
    let fence = chosen.seen.unclosed_fence;
    notes.extend(fence.map(|line| note(line, NoteKind::UnclosedFence)));
    let comments = chosen.seen.unclosed_comments.iter();
    notes.extend(comments.map(|line| note(*line, NoteKind::UnclosedComment)));
    chosen.seen
}

fn best(lines: &[Line<'_>], paired: Attempt, notes: &mut Vec<PlanNote>) -> Attempt {
    let attempt = |reading| Attempt::new(lines, reading);
    let nested = paired.seen.nested;
    let mut attempts = vec![
        paired,
        attempt(FenceReading::Nested),
        attempt(FenceReading::Toggled),
    ];
    if nested {
        // A closing fence has no language, so a fence with a language inside a block probably opens a nested block. Try
        // that reading first.
        attempts.swap(0, 1);
    }
    // Closed blocks matter more than consecutive numbers: an open block hides tasks.
    let mut place = attempts.iter().position(Attempt::is_sound);
    if place.is_none() {
        let resumed = attempt(FenceReading::Resumed);
        let paired = attempts
            .iter()
            .find(|attempt| attempt.reading == FenceReading::Paired);
        if resumed.whole && paired.is_some_and(|paired| paired.tasks != resumed.tasks) {
            place = Some(attempts.len());
        }
        attempts.push(resumed);
    }
    let fallback = || attempts.iter().position(|attempt| attempt.whole);
    let standard = || {
        attempts
            .iter()
            .position(|attempt| attempt.reading == FenceReading::Paired)
    };
    let place = place.or_else(fallback).or_else(standard).unwrap_or(0);
    let chosen = attempts.swap_remove(place);
    let contested = attempts.iter().any(|other| match other.reading {
        FenceReading::Paired => other.headings != chosen.headings,
        _ => other.tasks != chosen.tasks && (other.is_sound() || !chosen.whole),
    });
    if contested {
        notes.push(PlanNote {
            line: first_difference(&chosen, &attempts),
            kind: NoteKind::Fences {
                reading: chosen.reading,
                whole: chosen.whole,
            },
        });
    }
    chosen
}

/// The file, read with one pairing rule.
#[derive(Debug)]
struct Attempt {
    reading: FenceReading,
    seen: Seen,
    /// The lines of all headings.
    headings: Vec<usize>,
    /// The lines of task headings.
    tasks: Vec<usize>,
    whole: bool,
}

impl Attempt {
    fn new(lines: &[Line<'_>], reading: FenceReading) -> Self {
        let seen = look(lines, reading);
        let (tasks, whole) = numbers(lines, &seen.kinds);
        let is_heading = |index: &usize| matches!(seen.kinds[*index], Kind::Heading(_));
        Self {
            reading,
            headings: (0..lines.len()).filter(is_heading).collect(),
            seen,
            tasks,
            whole,
        }
    }

    fn is_sound(&self) -> bool {
        self.whole && self.seen.unclosed_fence.is_none()
    }
}

/// The lines of tasks, and whether their numbers are consecutive: each once, starting at 0 or 1, none missing.
/// Numbers may restart in every group.
fn numbers(lines: &[Line<'_>], kinds: &[Kind]) -> (Vec<usize>, bool) {
    let mut tasks = Vec::new();
    let mut groups: Vec<Vec<TaskNumber>> = vec![Vec::new()];
    for (index, line) in lines.iter().enumerate() {
        if !matches!(kinds[index], Kind::Heading(_)) {
            continue;
        }
        match announced(&heading_text(line.text)) {
            Heading::Task(task) => {
                tasks.push(index);
                if let Some(group) = groups.last_mut() {
                    group.push(task.number);
                }
            }
            Heading::Group(..) => groups.push(Vec::new()),
            _ => {}
        }
    }
    let all: Vec<&TaskNumber> = groups.iter().flatten().collect();
    let restarts = || {
        groups
            .iter()
            .all(|group| group.is_empty() || are_whole(&group.iter().collect::<Vec<_>>()))
    };
    let whole = !all.is_empty() && (are_whole(&all) || restarts());
    (tasks, whole)
}

fn are_whole(numbers: &[&TaskNumber]) -> bool {
    let distinct: BTreeSet<String> = numbers.iter().map(|number| number.key()).collect();
    let leading: BTreeSet<u32> = numbers.iter().filter_map(|number| number.leading()).collect();
    let first = leading.first().copied().unwrap_or(0);
    let last = leading.last().copied().unwrap_or(0);
    let span = usize::try_from(last - first).unwrap_or(usize::MAX);
    distinct.len() == numbers.len() && first <= 1 && (leading.is_empty() || span + 1 == leading.len())
}

/// The 1-based line of the first heading on which the attempts disagree.
fn first_difference(chosen: &Attempt, others: &[Attempt]) -> usize {
    let set = |attempt: &Attempt| attempt.headings.iter().copied().collect::<BTreeSet<usize>>();
    let own = set(chosen);
    let differences = others
        .iter()
        .filter_map(|other| own.symmetric_difference(&set(other)).next().copied());
    differences.min().map_or(1, |line| line + 1)
}
