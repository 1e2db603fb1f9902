//! In-memory tasks: the rules decide every command, and all events are kept.

use std::collections::BTreeMap;
use std::ops::Index;

use bugle_core::id::TaskId;
use bugle_core::task::{
    Rank, Task, TaskChanges, TaskCommand, TaskEvent, TaskRefusal, TaskRelations, WaitSource, decide_task,
    opened_above,
};

/// Task trees, folded from their events.
#[derive(Debug, Clone, Default)]
pub struct TaskTree {
    tasks: BTreeMap<TaskId, Task>,
    events: BTreeMap<TaskId, Vec<TaskEvent>>,
}

impl Index<&TaskId> for TaskTree {
    type Output = Task;
    fn index(&self, id: &TaskId) -> &Task {
        &self.tasks[id]
    }
}

/// The id of the task with this number.
#[expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "digits are always a valid id"
)]
pub fn task_id(number: usize) -> TaskId {
    TaskId::parse(&format!("t-{number:08}")).expect("digits are a valid id")
}

impl TaskTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a task as the last child of `parent`, or as the last root. Reopens its ancestors.
    pub fn add(&mut self, parent: Option<&TaskId>, title: &str) -> TaskId {
        let id = task_id(self.tasks.len());
        let last = self.children(parent).last().map(|task| task.rank);
        let added = TaskEvent::Added {
            title: title.to_owned(),
            parent: parent.cloned(),
            rank: Rank::portion(last, None, 1).unwrap_or(Rank::nth(0)),
            skill: None,
            agent: None,
            plan: None,
        };
        self.apply(&[(id.clone(), added)]);
        let opened = opened_above(&self.above(&id), &id);
        self.apply(&opened);
        id
    }

    /// Applies events. Ignores events of unknown tasks.
    pub fn apply(&mut self, changes: &[(TaskId, TaskEvent)]) {
        for (id, event) in changes {
            match self.tasks.get_mut(id) {
                Some(task) => task.apply(event),
                None => {
                    if let Ok(task) = Task::added(id.clone(), event) {
                        self.tasks.insert(id.clone(), task);
                    }
                }
            }
            self.events.entry(id.clone()).or_default().push(event.clone());
        }
    }

    /// Applies a command if the rules allow it. Returns the events.
    pub fn command(&mut self, id: &TaskId, command: &TaskCommand) -> Result<TaskChanges, TaskRefusal> {
        let (above, inside) = (self.above(id), self.inside(id));
        let waits = self.waits(id).into_iter();
        let (in_order, declared): (Vec<_>, Vec<_>) = waits.partition(|(_, says)| *says == WaitSource::Order);
        let ids = |waits: Vec<(TaskId, WaitSource)>| waits.into_iter().map(|(on, _)| on).collect::<Vec<_>>();
        let (comes_after, waits_for) = (ids(in_order), ids(declared));
        let around = TaskRelations {
            above: &above,
            inside: &inside,
            waits_for: &waits_for,
            comes_after: &comes_after,
        };
        let changes = decide_task(&self[id], around, command)?;
        self.apply(&changes);
        Ok(changes)
    }

    /// The events of a task.
    pub fn events(&self, id: &TaskId) -> &[TaskEvent] {
        self.events.get(id).map_or(&[], Vec::as_slice)
    }

    /// The number of tasks, including removed ones.
    pub fn count(&self) -> usize {
        self.tasks.len()
    }

    /// All tasks in order, parents before their children, including removed ones.
    pub fn in_order(&self) -> Vec<Task> {
        self.below(None)
    }

    /// The descendants of a task, in order.
    pub fn inside(&self, id: &TaskId) -> Vec<Task> {
        self.below(Some(id))
    }

    /// A task's ancestors, nearest first.
    pub fn above(&self, id: &TaskId) -> Vec<Task> {
        let parent = |task: &Task| task.parent.as_ref().and_then(|parent| self.tasks.get(parent));
        std::iter::successors(self.tasks.get(id).and_then(parent), |task| parent(task))
            .cloned()
            .collect()
    }

    /// The open tasks that a task or one of its ancestors is waiting for.
    pub fn waits_for(&self, id: &TaskId) -> Vec<TaskId> {
        self.waits(id).into_iter().map(|(on, _)| on).collect()
    }

    /// Like [`Self::waits_for`], with the source of each dependency.
    fn waits(&self, id: &TaskId) -> Vec<(TaskId, WaitSource)> {
        let mut found = Vec::new();
        for task in std::iter::once(self[id].clone()).chain(self.above(id)) {
            let open = task.waits_for.iter().filter(|(on, _)| self[on].is_open());
            found.extend(open.map(|(on, says)| (on.clone(), *says)));
        }
        found
    }

    /// The closed or removed tasks with an open descendant.
    pub fn hiding(&self) -> Vec<TaskId> {
        let hides = |task: &&Task| !task.is_open() && self.inside(&task.id).iter().any(Task::is_open);
        self.tasks
            .values()
            .filter(hides)
            .map(|task| task.id.clone())
            .collect()
    }

    fn children(&self, parent: Option<&TaskId>) -> Vec<&Task> {
        let mut children: Vec<&Task> = self
            .tasks
            .values()
            .filter(|task| task.parent.as_ref() == parent)
            .collect();
        children.sort_by_key(|task| task.rank);
        children
    }

    fn below(&self, parent: Option<&TaskId>) -> Vec<Task> {
        let mut inside: BTreeMap<Option<&TaskId>, Vec<&Task>> = BTreeMap::new();
        for task in self.tasks.values() {
            inside.entry(task.parent.as_ref()).or_default().push(task);
        }
        for children in inside.values_mut() {
            children.sort_by_key(|task| std::cmp::Reverse(task.rank));
        }
        let mut found = Vec::new();
        let mut ahead = inside.remove(&parent).unwrap_or_default();
        while let Some(task) = ahead.pop() {
            found.push(task.clone());
            ahead.extend(inside.remove(&Some(&task.id)).unwrap_or_default());
        }
        found
    }
}
