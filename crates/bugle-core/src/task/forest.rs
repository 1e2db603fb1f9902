//! Tasks in plan order: children, position and ready tasks. The store computes the same from its indexes.

use std::collections::BTreeMap;

use super::event::{Task, WaitSource};
use super::status::TaskStatus;
use crate::id::TaskId;

/// Trees of tasks, or parts of trees; parents come before children.
#[derive(Debug, Clone)]
pub struct Forest<'a> {
    tasks: &'a [Task],
    places: BTreeMap<&'a TaskId, usize>,
    inner: Vec<Inner>,
}

/// Facts about a task's descendants.
#[derive(Debug, Clone, Copy, Default)]
struct Inner {
    children: u32,
    open_children: u32,
    begun: bool,
}

impl<'a> Forest<'a> {
    /// Creates a forest from these tasks; removed tasks are ignored.
    pub fn new(tasks: &'a [Task]) -> Self {
        let places: BTreeMap<&TaskId, usize> = tasks
            .iter()
            .enumerate()
            .map(|(place, task)| (&task.id, place))
            .collect();
        let mut inner = vec![Inner::default(); tasks.len()];
        // The reverse order visits descendants first.
        for (place, task) in tasks.iter().enumerate().rev() {
            if task.removed.is_some() {
                continue;
            }
            let begun = inner[place].begun || task.status != TaskStatus::Pending;
            if let Some(parent) = task.parent.as_ref().and_then(|parent| places.get(parent)) {
                inner[*parent].children += 1;
                inner[*parent].open_children += u32::from(task.status.is_open());
                inner[*parent].begun |= begun;
            }
        }
        Self { tasks, places, inner }
    }

    /// Finds a task by id.
    pub fn get(&self, id: &TaskId) -> Option<&'a Task> {
        self.places.get(id).and_then(|place| self.tasks.get(*place))
    }

    /// Whether one of a task's descendants has started or is closed.
    pub fn is_begun(&self, id: &TaskId) -> bool {
        self.inner(id).begun
    }

    /// The number of a task's children, and how many of them are open.
    pub fn children(&self, id: &TaskId) -> (u32, u32) {
        let inner = self.inner(id);
        (inner.children, inner.open_children)
    }

    /// The number of open tasks that the task and its ancestors wait for.
    pub fn blockers(&self, task: &Task) -> u32 {
        self.waits(task, |_| true)
    }

    /// The number of open tasks that the task and its ancestors wait for only because of plan order.
    pub fn turn_blockers(&self, task: &Task) -> u32 {
        self.waits(task, |says| says == WaitSource::Order)
    }

    fn waits(&self, task: &Task, counts: impl Fn(WaitSource) -> bool) -> u32 {
        let mut count = 0;
        let mut at = Some(task);
        while let Some(task) = at {
            let counted = task.waits_for.iter().filter(|(_, says)| counts(**says));
            let open = counted.filter_map(|(on, _)| self.get(on));
            count += u32::try_from(open.filter(|on| on.is_open()).count()).unwrap_or(u32::MAX);
            at = task.parent.as_ref().and_then(|parent| self.get(parent));
        }
        count
    }

    /// The first open task without an open child.
    pub fn position(&self) -> Option<&'a Task> {
        self.tasks
            .iter()
            .find(|task| task.is_open() && self.inner(&task.id).open_children == 0)
    }

    /// The tasks that can start or close, in order: no agent is working on them, they have no open descendants, and
    /// their dependencies are closed.
    pub fn ready(&self) -> Vec<&'a Task> {
        let ready = |task: &&Task| {
            task.removed.is_none()
                && task.status == TaskStatus::Pending
                && self.inner(&task.id).open_children == 0
                && self.blockers(task) == 0
        };
        self.tasks.iter().filter(ready).collect()
    }

    fn inner(&self, id: &TaskId) -> Inner {
        self.places
            .get(id)
            .and_then(|place| self.inner.get(*place))
            .copied()
            .unwrap_or_default()
    }
}
