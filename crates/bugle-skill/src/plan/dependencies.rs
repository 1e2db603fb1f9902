//! Dependencies of tasks and groups. They are stated in labels, titles and sentences, and refer to other tasks and
//! groups.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::plan::{Dependency, GroupKind, Node, NoteKind, PlanNote, TaskNumber};

use super::blocks::{Block, Label};
use super::references::{Reference, leading_references, references, references_at_start};
use super::text::{first_word, is_nothing, squeeze};
use super::tree::Branch;

/// A dependency as written.
#[derive(Debug, Clone)]
pub(super) struct Written {
    /// The line, from 0.
    pub line: usize,
    pub on: Reference,
}

/// Adds the dependencies in a block to `found`.
pub(super) fn in_block(block: &Block, found: &mut Vec<Written>, notes: &mut Vec<PlanNote>) {
    if !matches!(block.label, Label::DependsOn | Label::Requires) {
        return;
    }
    let rest = std::iter::once((block.line, block.rest.as_str()));
    let items = block.items.iter().map(|item| (item.line, item.text.as_str()));
    for (line, text) in rest.chain(items) {
        if text.is_empty() || is_nothing(text) || first_word(text) == "no" {
            continue;
        }
        let named = references(text, block.label == Label::DependsOn);
        if named.is_empty() && block.label == Label::DependsOn {
            notes.push(PlanNote {
                line: line + 1,
                kind: NoteKind::DependencyUnread {
                    text: text.to_owned(),
                },
            });
        }
        found.extend(named.into_iter().map(|on| Written { line, on }));
    }
}

const PHRASES: [&str; 6] = [
    "depends on ",
    "dependent on ",
    "blocked by ",
    "requires ",
    "waits for ",
    "needs ",
];

/// A dependency in a sentence outside the task: `Task 3 depends on Task 1 and Task 2`.
pub(super) fn with_subject(sentence: &str) -> Option<(Reference, Vec<Reference>)> {
    let (subjects, rest) = leading_references(sentence);
    let [subject] = subjects.as_slice() else {
        return None;
    };
    let rest = rest.trim_start_matches([' ', '*', '_', '`']);
    let small = rest.to_ascii_lowercase();
    let at = small.strip_prefix("is ").map_or(0, |_| "is ".len());
    let phrase = PHRASES
        .into_iter()
        .find(|phrase| small[at..].starts_with(phrase))?;
    let named = references_at_start(&rest[at + phrase.len()..]);
    (!named.is_empty()).then(|| (subject.clone(), named))
}

/// A dependency in a title, in brackets or not: `Routes (depends on Task 2)`.
pub(super) fn in_title(title: &str, line: usize, found: &mut Vec<Written>) {
    let small = title.to_ascii_lowercase();
    for phrase in PHRASES {
        for (at, _) in small.match_indices(phrase) {
            let named = references_at_start(&title[at + phrase.len()..]);
            found.extend(named.into_iter().map(|on| Written { line, on }));
        }
    }
}

/// A dependency in a line of prose: `This task depends on Task 2`. A sentence about another subject only adds a
/// note.
pub(super) fn in_prose(
    text: &str,
    line: usize,
    own: Option<&TaskNumber>,
    found: &mut Vec<Written>,
    notes: &mut Vec<PlanNote>,
) {
    let small = text.to_ascii_lowercase();
    for phrase in PHRASES {
        let mut sentence = 0;
        for (at, _) in small.match_indices(phrase) {
            let named = references_at_start(&text[at + phrase.len()..]);
            let before = &small[sentence..at];
            sentence += before.rfind(['.', ';', '(']).map_or(0, |end| end + 1);
            let subject = small[sentence..at].trim_matches(|letter: char| !letter.is_alphanumeric());
            let subject = subject.strip_suffix(" is").unwrap_or(subject);
            let itself = subject
                .strip_prefix("task ")
                .is_some_and(|named| own.is_some_and(|own| named == own.key()));
            let clear =
                itself || ["", "this", "this task", "this phase", "it", "this step", "is"].contains(&subject);
            if clear {
                found.extend(named.into_iter().map(|on| Written { line, on }));
            } else if let Some(first) = named.first() {
                let text = format!("{}{}", &text[sentence..at + phrase.len()], first.written());
                notes.push(PlanNote {
                    line: line + 1,
                    kind: NoteKind::DependencyInSentence { text: squeeze(&text) },
                });
            }
            sentence = at;
        }
    }
}

/// Finds the nodes that dependencies refer to.
pub(super) struct Resolver<'a> {
    branches: &'a [Branch],
    nodes: &'a [Node],
    by_name: BTreeMap<(Option<GroupKind>, String), Vec<usize>>,
    /// The names of branches by their leading number.
    by_leading: BTreeMap<(Option<GroupKind>, u32), BTreeSet<String>>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(branches: &'a [Branch], nodes: &'a [Node]) -> Self {
        let mut resolver = Self {
            branches,
            nodes,
            by_name: BTreeMap::new(),
            by_leading: BTreeMap::new(),
        };
        for (index, branch) in branches.iter().enumerate() {
            let Some(number) = &branch.number else {
                continue;
            };
            // A numbered section is referred to like a task, so register it without a kind.
            let kind = branch.group.filter(|kind| *kind != GroupKind::Heading);
            let name = (kind, number.key());
            resolver.by_name.entry(name).or_default().push(index);
            if let Some(leading) = number.leading() {
                resolver
                    .by_leading
                    .entry((kind, leading))
                    .or_default()
                    .insert(number.key());
            }
        }
        resolver
    }

    /// The dependencies of a branch, without duplicates.
    pub(super) fn resolve(
        &self,
        own: usize,
        written: &[Written],
        notes: &mut Vec<PlanNote>,
    ) -> Vec<Dependency> {
        let mut found: Vec<Dependency> = Vec::new();
        let (mut known, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for Written { line, on } in written {
            let mut say = |kind| notes.push(PlanNote { line: line + 1, kind });
            let targets = self.targets(own, on);
            if targets.is_empty() {
                let written = on.written();
                if unknown.insert(written.clone()) {
                    say(NoteKind::DependencyUnknown {
                        written: written.clone(),
                    });
                    found.push(Dependency {
                        written,
                        target: None,
                    });
                }
            }
            for target in targets {
                let written = self.name(target);
                if self.is_inside(own, target) {
                    say(NoteKind::DependencyOnItself { written });
                    continue;
                }
                let target = Some(self.nodes[target]);
                if known.insert(target) {
                    found.push(Dependency { written, target });
                }
            }
        }
        found
    }

    /// The nodes that a reference in a branch refers to, except the branch itself.
    pub(super) fn nodes_named(&self, own: usize, on: &Reference) -> Vec<Node> {
        let targets = self.targets(own, on).into_iter();
        targets
            .filter(|target| *target != own)
            .map(|target| self.nodes[target])
            .collect()
    }

    /// The branches that a reference outside all branches refers to.
    pub(super) fn branches_named(&self, on: &Reference) -> Vec<usize> {
        match on {
            Reference::One(kind, number) => {
                let named = self.by_name.get(&(*kind, number.key()));
                named
                    .and_then(|named| named.first().copied())
                    .into_iter()
                    .collect()
            }
            Reference::Span(kind, first, last) => {
                let span = self.by_leading.range((*kind, *first)..=(*kind, *last));
                let keys: BTreeSet<&String> = span.flat_map(|(_, keys)| keys).collect();
                let named = keys
                    .into_iter()
                    .filter_map(|key| self.by_name.get(&(*kind, key.clone())));
                named.filter_map(|named| named.first().copied()).collect()
            }
        }
    }

    fn name(&self, branch: usize) -> String {
        let branch = &self.branches[branch];
        let number = branch.number.as_ref().map_or("", TaskNumber::as_str);
        format!("{} {number}", branch.group.map_or("Task", GroupKind::word))
    }

    fn is_inside(&self, own: usize, outer: usize) -> bool {
        let mut at = Some(own);
        while let Some(branch) = at {
            if branch == outer {
                return true;
            }
            at = self.branches[branch].parent;
        }
        false
    }

    fn targets(&self, own: usize, on: &Reference) -> Vec<usize> {
        match on {
            Reference::One(kind, number) => self.nearest(own, &(*kind, number.key())).into_iter().collect(),
            Reference::Span(kind, first, last) => {
                let span = self.by_leading.range((*kind, *first)..=(*kind, *last));
                let names: BTreeSet<String> = span.flat_map(|(_, names)| names.iter().cloned()).collect();
                let all: Vec<usize> = names
                    .into_iter()
                    .filter_map(|name| self.nearest(own, &(*kind, name)))
                    .collect();
                // If a range includes the task itself, the task depends on the other tasks in the range. A range with
                // only the task itself is a mistake.
                let others: Vec<usize> = all.iter().copied().filter(|branch| *branch != own).collect();
                if others.is_empty() { all } else { others }
            }
        }
    }

    /// The branch with a name. If several groups use the same numbers, prefers a sibling of `own`, then the nearest
    /// branch before `own`, then the first branch.
    fn nearest(&self, own: usize, name: &(Option<GroupKind>, String)) -> Option<usize> {
        const LOOKED_AT: usize = 64;
        let named = self.by_name.get(name)?;
        let parent = self.branches[own].parent;
        let before = named.partition_point(|branch| *branch < own);
        let around = before.saturating_sub(LOOKED_AT)..(before + LOOKED_AT).min(named.len());
        let others = || named[around.clone()].iter().filter(|branch| **branch != own);
        let beside = others().find(|branch| self.branches[**branch].parent == parent);
        beside
            .or_else(|| named[..before].last())
            .or_else(|| others().next())
            .or_else(|| named.first())
            .copied()
    }
}
