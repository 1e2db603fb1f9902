//! From what a plan says now to what happens to its tasks.

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::{Nodes, title_in_tree};
use super::{Importing, PlanCycle};
use crate::id::TaskId;
use crate::plan::MarkMeaning;
use crate::task::cycle::{Waiting, find_cycle};
use crate::task::decide::TaskChanges;
use crate::task::event::{Removal, Task, TaskEvent, WaitSource};
use crate::task::order::{Rank, TreePath};
use crate::task::settle::settle;

pub(super) struct Importer<'a> {
    what: Importing<'a>,
    nodes: &'a Nodes,
    /// The tasks as they were.
    before: BTreeMap<&'a TaskId, &'a Task>,
    /// The task of each node.
    ids: &'a [TaskId],
    changes: TaskChanges,
    /// Where among the changes each new task is added.
    added: BTreeMap<&'a TaskId, usize>,
}

impl<'a> Importer<'a> {
    pub(super) fn new(what: Importing<'a>, nodes: &'a Nodes, ids: &'a [TaskId]) -> Self {
        Self {
            what,
            nodes,
            before: what.known.iter().map(|task| (&task.id, task)).collect(),
            ids,
            changes: Vec::new(),
            added: BTreeMap::new(),
        }
    }

    pub(super) fn into_changes(self) -> TaskChanges {
        self.changes
    }

    fn note(&mut self, id: &TaskId, event: TaskEvent) {
        self.changes.push((id.clone(), event));
    }

    fn known(&self, node: usize) -> Option<&'a Task> {
        self.before.get(&self.ids[node]).copied()
    }

    /// The task that a node lies in.
    fn parent(&self, node: usize) -> &'a TaskId {
        self.nodes.parents[node].map_or(&self.what.root.id, |parent| &self.ids[parent])
    }

    pub(super) fn refuse_cycles(&self) -> Result<(), PlanCycle> {
        let mut paths: Vec<TreePath> = Vec::with_capacity(self.nodes.links.len());
        for (place, parent) in self.nodes.parents.iter().enumerate() {
            let rank = Rank::nth(place);
            paths.push(match parent.and_then(|parent| paths.get(parent)) {
                Some(parent) => parent.child(rank),
                None => TreePath::top(rank),
            });
        }
        let places: BTreeMap<&TaskId, usize> = self
            .ids
            .iter()
            .enumerate()
            .map(|(place, id)| (id, place))
            .collect();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for node in 0..paths.len() {
            pairs.extend(self.nodes.waits[node].iter().map(|on| (node, *on)));
            let by_hand = self.known(node).map(|task| &task.waits_for).into_iter().flatten();
            let by_hand = by_hand.filter(|(_, says)| **says == WaitSource::Hand);
            pairs.extend(by_hand.filter_map(|(on, _)| Some((node, *places.get(on)?))));
        }
        let waiting: Vec<Waiting> = pairs
            .iter()
            .map(|(task, on)| Waiting {
                task: paths[*task].clone(),
                on: paths[*on].clone(),
            })
            .collect();
        match find_cycle(&waiting) {
            Some(circle) => Err(PlanCycle(circle.into_iter().map(|pair| pairs[pair]).collect())),
            None => Ok(()),
        }
    }

    /// New tasks are added, known ones get the plan's new words and come back if they had vanished.
    pub(super) fn words(&mut self) {
        for (node, link) in self.nodes.links.iter().enumerate() {
            let id = &self.ids[node];
            let Some(known) = self.known(node) else {
                let event = TaskEvent::Added {
                    title: title_in_tree(link),
                    parent: Some(self.parent(node).clone()),
                    rank: Rank::nth(node),
                    skill: None,
                    agent: None,
                    plan: Some(link.clone()),
                };
                self.added.insert(id, self.changes.len());
                self.note(id, event);
                continue;
            };
            if known.removed == Some(Removal::Vanished) {
                self.note(id, TaskEvent::Restored);
                let went_along = Some(Removal::With(id.clone()));
                for task in self.what.known.iter().filter(|task| task.removed == went_along) {
                    self.note(&task.id, TaskEvent::Restored);
                }
            }
            let Some(old) = known.plan.as_ref().filter(|old| *old != link) else {
                continue;
            };
            if old.title != link.title && known.title != title_in_tree(link) {
                self.note(
                    id,
                    TaskEvent::Retitled {
                        title: title_in_tree(link),
                    },
                );
            }
            self.note(id, TaskEvent::Planned { plan: link.clone() });
        }
    }

    /// Every task of the plan is put where the plan has it.
    pub(super) fn places(&mut self) {
        let mut inside: BTreeMap<&TaskId, Vec<&'a TaskId>> = BTreeMap::new();
        for node in 0..self.ids.len() {
            inside.entry(self.parent(node)).or_default().push(&self.ids[node]);
        }
        let of_plan: BTreeSet<&TaskId> = self.ids.iter().collect();
        for (parent, children) in inside {
            let siblings = self.with_strangers(parent, &children, &of_plan);
            let wanted: Vec<Option<Rank>> = siblings
                .iter()
                .map(|id| {
                    let before = self.before.get(id)?;
                    (before.parent.as_ref() == Some(parent)).then_some(before.rank)
                })
                .collect();
            for ((id, rank), old) in siblings.iter().zip(settle(&wanted)).zip(wanted) {
                if old == Some(rank) {
                    continue;
                }
                let added = self.added.get(id).and_then(|at| self.changes.get_mut(*at));
                if let Some((_, TaskEvent::Added { rank: first, .. })) = added {
                    *first = rank;
                } else {
                    let parent = Some(parent.clone());
                    self.note(id, TaskEvent::Moved { parent, rank });
                }
            }
        }
    }

    /// The children that the plan gives a task, with those that somebody else put there behind the same neighbour.
    fn with_strangers(
        &self,
        parent: &TaskId,
        children: &[&'a TaskId],
        of_plan: &BTreeSet<&TaskId>,
    ) -> Vec<&'a TaskId> {
        let mut behind: BTreeMap<Option<&TaskId>, Vec<&'a TaskId>> = BTreeMap::new();
        let mut neighbour: Option<&TaskId> = None;
        for task in self
            .what
            .known
            .iter()
            .filter(|task| task.parent.as_ref() == Some(parent))
        {
            if of_plan.contains(&task.id) {
                neighbour = Some(&task.id);
            } else {
                behind.entry(neighbour).or_default().push(&task.id);
            }
        }
        let mut siblings: Vec<&TaskId> = behind.remove(&None).unwrap_or_default();
        for child in children {
            siblings.push(child);
            siblings.extend(behind.remove(&Some(*child)).unwrap_or_default());
        }
        siblings.extend(behind.into_values().flatten());
        siblings
    }

    pub(super) fn dependencies(&mut self) {
        for node in 0..self.ids.len() {
            let id = &self.ids[node];
            let wanted: BTreeSet<&TaskId> = self.nodes.waits[node].iter().map(|on| &self.ids[*on]).collect();
            let had = self.known(node).map(|task| &task.waits_for);
            for on in &wanted {
                if had.is_none_or(|had| !had.contains_key(*on)) {
                    let event = TaskEvent::Waits {
                        on: (*on).clone(),
                        says: WaitSource::Plan,
                    };
                    self.note(id, event);
                }
            }
            for (on, says) in had.into_iter().flatten() {
                if *says == WaitSource::Plan && !wanted.contains(on) {
                    self.note(id, TaskEvent::WaitsNoMore { on: on.clone() });
                }
            }
        }
    }

    pub(super) fn vanish(&mut self, vanished: &[TaskId]) {
        let still: BTreeSet<&TaskId> = self.ids.iter().collect();
        for gone in vanished {
            if self.before.get(gone).is_some_and(|task| task.removed.is_none()) {
                self.note(
                    gone,
                    TaskEvent::Removed {
                        why: Removal::Vanished,
                    },
                );
            }
        }
        // What somebody put into a task that is gone goes with it; what the plan has elsewhere was moved away.
        let gone: BTreeSet<&TaskId> = vanished.iter().collect();
        let mut taken_along: BTreeMap<&TaskId, &TaskId> = BTreeMap::new();
        for task in self.what.known {
            let Some(parent) = &task.parent else { continue };
            let with = gone
                .get(parent)
                .copied()
                .or_else(|| taken_along.get(parent).copied());
            if let Some(with) = with
                && !still.contains(&task.id)
                && !gone.contains(&task.id)
            {
                taken_along.insert(&task.id, with);
                if task.removed.is_none() {
                    let why = Removal::With(with.clone());
                    self.note(&task.id, TaskEvent::Removed { why });
                }
            }
        }
    }

    /// A closed task has nothing open inside. So what holds an open task of the plan is opened; and what lies in a task
    /// that somebody removed is removed with it.
    pub(super) fn keep_open_what_holds_open_tasks(&mut self) {
        let mut hidden: Vec<Option<TaskId>> = Vec::with_capacity(self.ids.len());
        for node in 0..self.ids.len() {
            let by_hand = self
                .known(node)
                .filter(|task| matches!(task.removed, Some(Removal::ByHand | Removal::With(_))));
            let above = self.nodes.parents[node].and_then(|parent| hidden[parent].clone());
            if let Some(top) = &above
                && by_hand.is_none()
            {
                let why = Removal::With(top.clone());
                self.note(&self.ids[node], TaskEvent::Removed { why });
            }
            hidden.push(above.or_else(|| by_hand.map(|task| task.id.clone())));
        }
        let open =
            |importer: &Self, node: usize| importer.known(node).is_none_or(|task| task.standing.is_open());
        let mut opened: BTreeSet<&TaskId> = BTreeSet::new();
        for (node, hidden) in hidden.iter().enumerate() {
            if hidden.is_some() || !open(self, node) {
                continue;
            }
            let because = self.ids[node].clone();
            let mut above = self.nodes.parents[node];
            while let Some(parent) = above {
                if !open(self, parent) && opened.insert(&self.ids[parent]) {
                    let with = Some(because.clone());
                    self.note(&self.ids[parent], TaskEvent::Reopened { with });
                }
                above = self.nodes.parents[parent];
            }
            for task in std::iter::once(self.what.root).chain(self.what.above) {
                if !task.standing.is_open() && opened.insert(&task.id) {
                    let with = Some(because.clone());
                    self.note(&task.id, TaskEvent::Reopened { with });
                }
            }
        }
    }

    /// Closes what the plan says is done or left out. Whatever lies in it is closed first, or it stays open.
    pub(super) fn tick(&mut self) -> Vec<TaskId> {
        let mut holds_open = vec![false; self.ids.len()];
        let mut ticked = Vec::new();
        // A parent stands before what lies in it, so going backwards meets what lies in a task first.
        for node in (0..self.ids.len()).rev() {
            if self.known(node).is_some_and(|task| !task.standing.is_open()) {
                continue;
            }
            let event = match self.nodes.signs[node] {
                Some(MarkMeaning::Done) if !holds_open[node] => TaskEvent::Finished,
                Some(MarkMeaning::Skipped) if !holds_open[node] => TaskEvent::Skipped {
                    reason: Some("the plan says so".to_owned()),
                    with: None,
                },
                _ => {
                    if let Some(parent) = self.nodes.parents[node] {
                        holds_open[parent] = true;
                    }
                    continue;
                }
            };
            let id = self.ids[node].clone();
            self.note(&id, event);
            ticked.push(id);
        }
        ticked.reverse();
        ticked
    }
}
