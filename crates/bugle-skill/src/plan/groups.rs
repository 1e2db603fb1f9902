//! Decides which headings without a number are groups, and drops empty groups.

use std::collections::{BTreeMap, BTreeSet};

use bugle_core::plan::{Node, NoteKind, PlanNote};

use super::heading::{Heading, Section};
use super::text::has_words;
use super::tree::{Branch, Head, note};

/// The plain headings that group the tasks below them: headings about progress, and headings with siblings. A heading
/// without siblings is more likely the section that contains all tasks.
pub(super) fn plain_groups(
    heads: &[Head],
    enclosing: &BTreeSet<usize>,
    notes: &mut Vec<PlanNote>,
) -> BTreeSet<usize> {
    let mut by_level: BTreeMap<u8, Vec<usize>> = BTreeMap::new();
    let mut groups = BTreeSet::new();
    for index in enclosing
        .iter()
        .copied()
        .filter(|index| has_words(&heads[*index].text))
    {
        match heads[index].announced {
            Heading::Section(Section::Progress) => {
                groups.insert(index);
            }
            Heading::Plain | Heading::TaskWithoutNumber => {
                by_level.entry(heads[index].level).or_default().push(index);
            }
            _ => {}
        }
    }
    for indices in by_level.into_values() {
        let group = indices.len() > 1;
        for index in indices {
            let head = &heads[index];
            notes.push(note(
                head,
                NoteKind::PlainHeading {
                    heading: head.text.clone(),
                    group,
                },
            ));
            if group {
                groups.insert(index);
            }
        }
    }
    groups
}

/// Drops groups without tasks, unless the plan has no tasks at all: then its groups are its only content.
pub(super) fn without_empty_groups(
    branches: Vec<Branch>,
    heads: &[Head],
    notes: &mut Vec<PlanNote>,
) -> Vec<Branch> {
    if branches.iter().all(|branch| branch.group.is_some()) {
        return branches;
    }
    let mut kept = vec![false; branches.len()];
    for index in (0..branches.len()).rev() {
        kept[index] = kept[index] || branches[index].group.is_none();
        if let Some(parent) = branches[index].parent.filter(|_| kept[index]) {
            kept[parent] = true;
        }
    }
    let mut places = Vec::with_capacity(branches.len());
    let mut result: Vec<Branch> = Vec::with_capacity(branches.len());
    for (branch, kept) in branches.into_iter().zip(kept) {
        places.push(result.len());
        if kept {
            let parent = branch.parent.map(|parent| places[parent]);
            result.push(Branch { parent, ..branch });
        } else if let Ok(at) = heads.binary_search_by_key(&branch.first, |head| head.line) {
            let heading = heads[at].text.clone();
            notes.push(note(&heads[at], NoteKind::GroupWithoutTasks { heading }));
        }
    }
    result
}

/// The index of each branch in the plan's list of groups or list of tasks, in file order.
pub(super) fn nodes(branches: &[Branch]) -> Vec<Node> {
    let (mut groups, mut tasks) = (0, 0);
    let mut next = |counter: fn(usize) -> Node, is_group: bool| {
        let count = if is_group { &mut groups } else { &mut tasks };
        *count += 1;
        counter(*count - 1)
    };
    branches
        .iter()
        .map(|branch| match branch.group {
            Some(_) => next(Node::Group, true),
            None => next(Node::Task, false),
        })
        .collect()
}
