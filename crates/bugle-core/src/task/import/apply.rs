//! Turns a plan's content into task events.

use std::collections::{BTreeMap, BTreeSet};

use super::Importing;
use super::nodes::{Nodes, title_in_tree};
use crate::id::TaskId;
use crate::task::decide::TaskChanges;
use crate::task::event::{Removal, Task, TaskEvent};
use crate::task::order::Rank;
use crate::task::settle::settle;

pub(super) struct Importer<'a> {
    pub(super) what: Importing<'a>,
    pub(super) nodes: &'a Nodes,
    /// The tasks before the import.
    before: BTreeMap<&'a TaskId, &'a Task>,
    /// Each task's children, in order.
    children: BTreeMap<&'a TaskId, Vec<&'a Task>>,
    /// For each task, the tasks that were removed with it.
    taken_with: BTreeMap<&'a TaskId, Vec<&'a TaskId>>,
    /// Each node's task.
    pub(super) ids: &'a [TaskId],
    /// The ids of all nodes' tasks, as a set.
    of_plan: BTreeSet<&'a TaskId>,
    /// For each node, its removed task or removed ancestor, if any.
    pub(super) hidden: Vec<Option<&'a TaskId>>,
    changes: TaskChanges,
    /// The index of the change that adds each new task.
    added: BTreeMap<&'a TaskId, usize>,
}

impl<'a> Importer<'a> {
    pub(super) fn new(what: Importing<'a>, nodes: &'a Nodes, ids: &'a [TaskId]) -> Self {
        let mut children: BTreeMap<&TaskId, Vec<&Task>> = BTreeMap::new();
        let mut taken_with: BTreeMap<&TaskId, Vec<&TaskId>> = BTreeMap::new();
        for task in what.known {
            if let Some(parent) = &task.parent {
                children.entry(parent).or_default().push(task);
            }
            if let Some(Removal::With(top)) = &task.removed {
                taken_with.entry(top).or_default().push(&task.id);
            }
        }
        let mut importer = Self {
            what,
            nodes,
            before: what.known.iter().map(|task| (&task.id, task)).collect(),
            children,
            taken_with,
            ids,
            of_plan: ids.iter().collect(),
            hidden: Vec::with_capacity(ids.len()),
            changes: Vec::new(),
            added: BTreeMap::new(),
        };
        for (node, parent) in nodes.parents.iter().enumerate() {
            let above = parent.and_then(|parent| importer.hidden[parent]);
            let own = importer.removed_before(node).then_some(&ids[node]);
            importer.hidden.push(above.or(own));
        }
        importer
    }

    /// The tasks after the changes so far.
    pub(super) fn after(&self) -> BTreeMap<TaskId, Task> {
        let known = self.what.known.iter();
        let mut after: BTreeMap<TaskId, Task> = known.map(|task| (task.id.clone(), task.clone())).collect();
        for (id, event) in &self.changes {
            match after.get_mut(id) {
                Some(task) => task.apply(event),
                None => after.extend(Task::added(id.clone(), event).ok().map(|task| (id.clone(), task))),
            }
        }
        after
    }

    pub(super) fn into_changes(self) -> TaskChanges {
        self.changes
    }

    pub(super) fn note(&mut self, id: &TaskId, event: TaskEvent) {
        self.changes.push((id.clone(), event));
    }

    pub(super) fn known(&self, node: usize) -> Option<&'a Task> {
        self.before.get(&self.ids[node]).copied()
    }

    /// Whether a node was removed by hand, alone or with an ancestor.
    pub(super) fn removed_before(&self, node: usize) -> bool {
        self.known(node)
            .is_some_and(|task| matches!(task.removed, Some(Removal::ByHand | Removal::With(_))))
    }

    /// The children of a task that are not from the plan.
    pub(super) fn strangers_in(&self, id: &TaskId) -> impl Iterator<Item = &'a Task> {
        let children = self.children.get(id).map_or(&[][..], Vec::as_slice);
        let from_plan = |task: &Task| task.plan.as_ref().is_some_and(|link| link.plan == *self.what.id);
        children.iter().copied().filter(move |task| !from_plan(task))
    }

    /// A node's parent task.
    fn parent(&self, node: usize) -> &'a TaskId {
        self.nodes.parents[node].map_or(&self.what.root.id, |parent| &self.ids[parent])
    }

    /// Adds new tasks, updates known ones, and restores those that had vanished from the plan.
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
            if known.removed == Some(Removal::Vanished) && self.hidden[node].is_none() {
                self.note(id, TaskEvent::Restored);
                let mut back: BTreeSet<&TaskId> = BTreeSet::from([id]);
                for task in self.taken_with.get(id).cloned().unwrap_or_default() {
                    // A task that is no longer in the plan is not restored, and neither are its children.
                    let before = self.before.get(task);
                    let planned = before.and_then(|task| task.plan.as_ref());
                    let is_gone = planned.is_some_and(|link| link.plan == *self.what.id);
                    let parent = before.and_then(|task| task.parent.as_ref());
                    let held = parent.is_some_and(|parent| back.contains(parent));
                    if held && (!is_gone || self.of_plan.contains(task)) {
                        back.insert(task);
                        self.note(task, TaskEvent::Restored);
                    }
                }
            }
            let Some(old) = known.plan.as_ref().filter(|old| *old != link) else {
                continue;
            };
            if title_in_tree(old) != title_in_tree(link) && known.title != title_in_tree(link) {
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

    /// Moves the plan's tasks to their places.
    pub(super) fn places(&mut self) {
        let mut inside: BTreeMap<&TaskId, Vec<&'a TaskId>> = BTreeMap::new();
        for node in 0..self.ids.len() {
            inside.entry(self.parent(node)).or_default().push(&self.ids[node]);
        }
        for (parent, children) in inside {
            let siblings = self.with_strangers(parent, &children);
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

    /// A task's children from the plan, together with those added by hand. A child added by hand stays after the same
    /// neighbour as before. If that neighbour is gone, the child follows the neighbour's predecessor.
    fn with_strangers(&self, parent: &TaskId, children: &[&'a TaskId]) -> Vec<&'a TaskId> {
        let staying: BTreeSet<&TaskId> = children.iter().copied().collect();
        let mut behind: BTreeMap<Option<&TaskId>, Vec<&'a TaskId>> = BTreeMap::new();
        let mut neighbour: Option<&TaskId> = None;
        for task in self.children.get(parent).into_iter().flatten() {
            if staying.contains(&task.id) {
                neighbour = Some(&task.id);
            } else if !self.of_plan.contains(&task.id) {
                behind.entry(neighbour).or_default().push(&task.id);
            }
        }
        let mut siblings: Vec<&TaskId> = behind.remove(&None).unwrap_or_default();
        for child in children {
            siblings.push(child);
            siblings.extend(behind.remove(&Some(*child)).unwrap_or_default());
        }
        siblings
    }

    pub(super) fn vanish(&mut self, vanished: &[TaskId]) {
        for gone in vanished {
            if self.before.get(gone).is_some_and(|task| task.removed.is_none()) {
                let why = Removal::Vanished;
                self.note(gone, TaskEvent::Removed { why });
            }
        }
        // A task added by hand under a vanished task is removed too. Under a vanished group, which is only a heading,
        // the task moves to the end of the plan instead. Tasks that the plan moved already have another parent.
        let gone: BTreeSet<&TaskId> = vanished.iter().collect();
        let is_group = |id: &TaskId| self.before.get(id).is_some_and(|task| task.is_group());
        let root = &self.what.root.id;
        let strangers: Vec<&TaskId> = self
            .what
            .known
            .iter()
            .filter(|task| {
                task.removed.is_none() && !self.of_plan.contains(&task.id) && !gone.contains(&task.id)
            })
            .filter(|task| {
                task.parent
                    .as_ref()
                    .is_some_and(|parent| gone.contains(parent) && is_group(parent))
            })
            .map(|task| &task.id)
            .collect();
        for id in &strangers {
            if let Some(rank) = Rank::portion(self.last_rank(root), None, 1) {
                let parent = Some(root.clone());
                self.note(id, TaskEvent::Moved { parent, rank });
            }
        }
        let mut taken_along: BTreeMap<&TaskId, &TaskId> = BTreeMap::new();
        for task in self.what.known {
            let Some(parent) = &task.parent else { continue };
            let with = gone
                .get(parent)
                .copied()
                .or_else(|| taken_along.get(parent).copied());
            if let Some(with) = with
                && !self.of_plan.contains(&task.id)
                && !gone.contains(&task.id)
                && !strangers.contains(&&task.id)
            {
                taken_along.insert(&task.id, with);
                if task.removed.is_none() {
                    let why = Removal::With(with.clone());
                    self.note(&task.id, TaskEvent::Removed { why });
                }
            }
        }
    }

    /// The rank of a task's last child, after the changes so far.
    fn last_rank(&self, parent: &TaskId) -> Option<Rank> {
        let known = self
            .children
            .get(parent)
            .into_iter()
            .flatten()
            .map(|task| task.rank);
        let changed = self.changes.iter().filter_map(|(_, event)| match event {
            TaskEvent::Added {
                parent: Some(now),
                rank,
                ..
            }
            | TaskEvent::Moved {
                parent: Some(now),
                rank,
                ..
            } if now == parent => Some(*rank),
            _ => None,
        });
        known.chain(changed).max()
    }
}
