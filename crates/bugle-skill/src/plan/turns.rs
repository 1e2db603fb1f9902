//! Statements about order besides dependencies: tasks run in parallel, a task can start immediately, a task comes
//! after another.

use bugle_core::plan::{Node, NoteKind, PlanNote, TaskNumber, Turn};

use super::blocks::{Block, Label};
use super::dependencies::{Resolver, Written};
use super::references::{Reference, leading_references, references};
use super::text::{first_word, is_nothing, past_list_markers, squeeze};

/// A statement about when a task starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// `Parallel`: together with the previous task.
    WithPrevious,
    /// `Parallel with Task 4`
    With(Vec<Reference>),
    /// `No dependencies`
    AtOnce,
    /// `After Task 3.`
    After(Vec<Reference>),
}

/// A statement with its 0-based line.
#[derive(Debug, Clone)]
pub(super) struct Spoken {
    pub line: usize,
    pub said: Said,
}

/// Filler words at the start of a sentence about a task.
const FILLERS: [&str; 33] = [
    "this task",
    "this phase",
    "this step",
    "this",
    "it",
    "task",
    "can",
    "may",
    "could",
    "should",
    "must",
    "only",
    "be",
    "is",
    "has",
    "runs",
    "run",
    "done",
    "do",
    "executed",
    "implemented",
    "worked on",
    "started",
    "starts",
    "start",
    "begins",
    "begin",
    "come",
    "comes",
    "built",
    "also",
    "safely",
    "fully",
];
/// Words for a task that runs in parallel with others.
const PARALLEL: [&str; 7] = [
    "in parallel",
    "parallel",
    "parallelizable",
    "parallelisable",
    "concurrently",
    "concurrent",
    "p",
];
/// Sentences for a task without dependencies.
const FREE: [&str; 10] = [
    "no dependencies",
    "no dependency",
    "no blockers",
    "without dependencies",
    "independent",
    "independently",
    "independent task",
    "immediately",
    "at once",
    "any time",
];
/// Words after `with` or `of` that mean every other task.
const OTHERS: [&str; 7] = ["other", "others", "any", "all", "everything", "every", "each"];

/// The statement that a label makes: `**Parallel with:** Task 4`, `Depends on: none`.
pub(super) fn in_block(block: &Block, found: &mut Vec<Spoken>, notes: &mut Vec<PlanNote>) {
    let line = block.line;
    let items = block.items.iter().map(|item| item.text.as_str());
    let texts: Vec<&str> = std::iter::once(block.rest.as_str())
        .chain(items)
        .filter(|text| !text.is_empty())
        .collect();
    match block.label {
        Label::DependsOn if texts.iter().any(|text| is_nothing(text)) => {
            let said = Said::AtOnce;
            found.push(Spoken { line, said });
        }
        Label::Parallel => {
            let named: Vec<Reference> = texts.iter().flat_map(|text| references(text, true)).collect();
            let first = texts.first().map(|text| first_word(text)).unwrap_or_default();
            let said = match first.as_str() {
                _ if !named.is_empty() => Said::With(named),
                "" | "yes" | "true" | "safe" | "ok" | "y" | "x" | "✓" | "✅" => Said::WithPrevious,
                "no" | "none" | "false" | "never" | "not" | "n" => return,
                other if OTHERS.contains(&other) => Said::AtOnce,
                _ => {
                    let text = texts.join(" ");
                    let kind = NoteKind::DependencyUnread { text };
                    notes.push(PlanNote { line: line + 1, kind });
                    return;
                }
            };
            found.push(Spoken { line, said });
        }
        _ => {}
    }
}

/// The statement in a title's brackets: `Routes (parallel)`, `Routes [P]`, `Routes (parallel with Task 2)`.
pub(super) fn in_title(title: &str, line: usize, found: &mut Vec<Spoken>) {
    for (open, close) in [('(', ')'), ('[', ']')] {
        let mut rest = title;
        while let Some((_, inner)) = rest.split_once(open) {
            let Some((inner, after)) = inner.split_once(close) else {
                break;
            };
            found.extend(said(inner, None).map(|said| Spoken { line, said }));
            rest = after;
        }
    }
}

/// The statement in a line of prose about the task with this number.
pub(super) fn in_prose(text: &str, line: usize, own: Option<&TaskNumber>, found: &mut Vec<Spoken>) {
    for sentence in sentences(text) {
        // A single letter counts only in a title.
        let said = said(sentence, own).filter(|_| sentence.len() > 1);
        found.extend(said.map(|said| Spoken { line, said }));
    }
}

/// The sentences of a line, without surrounding marks.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let text = past_list_markers(text.trim());
    let ends = |sentence: &str| {
        sentence
            .trim_matches(|sign: char| "*_`.!;() ".contains(sign))
            .len()
    };
    text.split(". ")
        .flat_map(|part| part.split("; "))
        .map(|sentence| sentence.trim_matches(|sign: char| "*_`.!;() \t⚡".contains(sign)))
        .filter(move |sentence| ends(sentence) > 0)
}

/// When a task starts, according to one sentence.
fn said(sentence: &str, own: Option<&TaskNumber>) -> Option<Said> {
    let sentence = squeeze(sentence);
    let small = sentence.to_ascii_lowercase();
    let at = past_fillers(&small, own);
    let (rest, small) = (&sentence[at..], &small[at..]);
    if FREE.contains(&small) {
        return Some(Said::AtOnce);
    }
    if let Some(others) = small
        .strip_prefix("independent of ")
        .or(small.strip_prefix("independent from "))
    {
        return means_others(others).then_some(Said::AtOnce);
    }
    if small.starts_with("after ") {
        let (named, behind) = leading_references(&rest["after ".len()..]);
        let ends = [
            "",
            "is done",
            "is complete",
            "is completed",
            "is finished",
            "is closed",
            "completes",
        ];
        let behind = behind.trim_matches(|sign: char| "*_`.:, ".contains(sign));
        return (!named.is_empty() && ends.contains(&behind.to_ascii_lowercase().as_str()))
            .then_some(Said::After(named));
    }
    let word = PARALLEL.into_iter().find(|word| {
        small
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })?;
    let behind = small[word.len()..].trim_start_matches([' ', ':', '-']);
    let from = rest.len() - behind.len();
    if behind.is_empty() || behind == "yes" {
        return Some(Said::WithPrevious);
    }
    let with = ["with ", "to "]
        .into_iter()
        .find(|with| behind.starts_with(with))?;
    let (named, _) = leading_references(&rest[from + with.len()..]);
    if named.is_empty() {
        return means_others(&behind[with.len()..]).then_some(Said::AtOnce);
    }
    Some(Said::With(named))
}

fn means_others(text: &str) -> bool {
    let text = text.strip_prefix("the ").unwrap_or(text);
    OTHERS.contains(&first_word(text).as_str())
}

/// The offset after the fillers of a sentence.
fn past_fillers(small: &str, own: Option<&TaskNumber>) -> usize {
    let own = own.map(TaskNumber::key);
    let mut at = 0;
    loop {
        let rest = &small[at..];
        let word = FILLERS.into_iter().chain(own.as_deref()).find(|word| {
            let after = rest.strip_prefix(word);
            after.is_some_and(|after| after.starts_with(' '))
        });
        let Some(word) = word else { return at };
        at += word.len() + 1;
    }
}

/// A statement outside tasks about the order of several tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SaidOfMany {
    /// `Tasks in this phase can run in parallel`
    AllTasks,
    /// `Phases can run in parallel`
    AllGroups,
    /// `Tasks 2 and 3 can run in parallel`
    These(Vec<Reference>),
}

/// The order of several tasks, according to one sentence.
pub(super) fn of_many(sentence: &str) -> Option<SaidOfMany> {
    let small = squeeze(sentence).to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| small.contains(word));
    let free = has(&[
        "in parallel",
        "in any order",
        "independent of each other",
        "independent of one another",
        "are independent",
        "are parallel",
    ]);
    if !free || has(&["not ", "n't ", "cannot", "never ", "except", " if ", "unless"]) {
        return None;
    }
    let sentence = sentence.trim_start_matches(['*', '_', ' ']);
    let (named, _) = leading_references(sentence);
    if named.len() > 1 || matches!(named.first(), Some(Reference::Span(..))) {
        return Some(SaidOfMany::These(named));
    }
    let mut words = small
        .split(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let subject = words
        .find(|word| !["all", "the", "these", "both", "of", "in", "this", "phase", "its"].contains(word));
    match subject {
        Some("tasks" | "items" | "steps") => Some(SaidOfMany::AllTasks),
        Some("phases" | "milestones" | "batches" | "waves" | "stages") => Some(SaidOfMany::AllGroups),
        Some("can" | "may" | "everything" | "run")
            if small.starts_with("all ") || small.starts_with("everything") =>
        {
            Some(SaidOfMany::AllTasks)
        }
        _ => None,
    }
}

/// Combines all statements about when a branch starts. Adds the branches that must come first to its dependencies.
pub(super) fn turn(
    own: usize,
    spoken: &[Spoken],
    resolver: &Resolver<'_>,
    waits_for: &mut Vec<Written>,
    notes: &mut Vec<PlanNote>,
) -> Turn {
    let mut turn = Turn::InOrder;
    for Spoken { line, said } in spoken {
        match said {
            Said::WithPrevious if turn == Turn::InOrder => turn = Turn::WithPrevious,
            Said::WithPrevious => {}
            Said::AtOnce => turn = Turn::AtOnce,
            Said::After(named) => {
                waits_for.extend(named.iter().map(|on| Written {
                    line: *line,
                    on: on.clone(),
                }));
            }
            Said::With(named) => {
                let mut others: Vec<Node> = Vec::new();
                for on in named {
                    let found = resolver.nodes_named(own, on);
                    if found.is_empty() {
                        let written = on.written();
                        let kind = NoteKind::DependencyUnknown { written };
                        notes.push(PlanNote { line: line + 1, kind });
                    }
                    others.extend(found);
                }
                match &mut turn {
                    Turn::With(known) => known.extend(others),
                    Turn::AtOnce => {}
                    turn if !others.is_empty() => *turn = Turn::With(others),
                    _ => {}
                }
            }
        }
    }
    turn
}
