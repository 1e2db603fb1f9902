//! Maintains an import's invariant: a closed or removed task has no open descendants.

use std::collections::{BTreeMap, BTreeSet};

use super::apply::Importer;
use crate::id::TaskId;
use crate::plan::MarkMeaning;
use crate::task::event::{Removal, Task, TaskEvent};

impl Importer<'_> {
    /// Marks the children of removed tasks as removed, so that they are restored together.
    pub(super) fn hide_children_of_removed_tasks(&mut self) {
        for node in 0..self.ids.len() {
            let Some(top) = self.hidden[node].filter(|_| !self.removed_before(node)) else {
                continue;
            };
            let id = &self.ids[node];
            let why = Removal::With(top.clone());
            self.note(id, TaskEvent::Removed { why: why.clone() });
            let vanished_with = Some(Removal::With(id.clone()));
            let mut ahead: Vec<&Task> = self.strangers_in(id).collect();
            while let Some(task) = ahead.pop() {
                if task.removed.is_none() || task.removed == vanished_with {
                    self.note(&task.id, TaskEvent::Removed { why: why.clone() });
                }
                ahead.extend(self.strangers_in(&task.id));
            }
        }
    }

    /// Closes tasks that the plan marks as done or skipped, if its marks are trusted. A task stays open while it has
    /// open children. Returns the nodes that close, or that would close if marks were trusted, in order.
    pub(super) fn tick(&mut self) -> Vec<usize> {
        let mut holds_open: Vec<bool> = (0..self.ids.len())
            .map(|node| self.holds_open_stranger(node))
            .collect();
        let mut ticked = Vec::new();
        // Parents come before their children, so the reverse order visits children first.
        for node in (0..self.ids.len())
            .rev()
            .filter(|node| self.hidden[*node].is_none())
            .collect::<Vec<_>>()
        {
            let event = match self.nodes.signs[node] {
                _ if holds_open[node] => None,
                _ if self.is_closed(node) => continue,
                Some(MarkMeaning::Done) => Some(TaskEvent::Finished),
                Some(MarkMeaning::Skipped) => Some(TaskEvent::Skipped {
                    reason: Some("the plan marks the task as skipped".to_owned()),
                    with: None,
                }),
                _ => None,
            };
            match (event, self.nodes.parents[node]) {
                (Some(event), _) => {
                    if self.what.trust_checkboxes {
                        self.note(&self.ids[node], event);
                    }
                    ticked.push(node);
                }
                (None, Some(parent)) => holds_open[parent] = true,
                (None, None) => {}
            }
        }
        ticked.reverse();
        ticked
    }

    /// Reopens every task that contains an open task from the plan.
    pub(super) fn reopen_parents_of_open_tasks(&mut self, ticked: &[usize]) {
        let ticked: BTreeSet<usize> = ticked.iter().copied().collect();
        let mut opened: BTreeSet<&TaskId> = BTreeSet::new();
        for node in 0..self.ids.len() {
            if self.hidden[node].is_some() || self.is_closed(node) || ticked.contains(&node) {
                continue;
            }
            let with = Some(self.ids[node].clone());
            let mut above = self.nodes.parents[node];
            while let Some(parent) = above {
                if self.is_closed(parent) && opened.insert(&self.ids[parent]) {
                    self.note(&self.ids[parent], TaskEvent::Reopened { with: with.clone() });
                }
                above = self.nodes.parents[parent];
            }
            for task in std::iter::once(self.what.root).chain(self.what.above) {
                if !task.status.is_open() && opened.insert(&task.id) {
                    self.note(&task.id, TaskEvent::Reopened { with: with.clone() });
                }
            }
        }
    }

    /// Closes groups without open tasks, because later tasks wait for them.
    pub(super) fn close_groups_that_are_over(&mut self) {
        let after = self.after();
        let mut open_inside: BTreeMap<&TaskId, usize> = BTreeMap::new();
        for task in after.values().filter(|task| task.is_open()) {
            if let Some(parent) = &task.parent {
                *open_inside.entry(parent).or_default() += 1;
            }
        }
        // Parents come before their children, so the reverse order visits children first.
        for id in self.ids.iter().rev() {
            let Some(group) = after.get(id).filter(|task| task.is_group() && task.is_open()) else {
                continue;
            };
            if open_inside.get(id).is_some_and(|count| *count > 0) {
                continue;
            }
            self.note(id, TaskEvent::Finished);
            if let Some(count) = group
                .parent
                .as_ref()
                .and_then(|parent| open_inside.get_mut(parent))
            {
                *count -= 1;
            }
        }
    }

    /// Whether a node was closed before this import.
    fn is_closed(&self, node: usize) -> bool {
        self.known(node).is_some_and(|task| !task.status.is_open())
    }

    /// Whether a node has an open child that was added by hand and is in the tree, or will be restored with the node.
    fn holds_open_stranger(&self, node: usize) -> bool {
        let id = &self.ids[node];
        let back_with_it = Some(Removal::With(id.clone()));
        self.strangers_in(id)
            .any(|task| task.status.is_open() && (task.removed.is_none() || task.removed == back_with_it))
    }
}
