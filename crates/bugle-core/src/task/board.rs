//! The tasks of a run's plan as the engine sees them: enough to say what can start, and what follows from an effect.
//!
//! A decision may finish one task and start the next at once, so the board can be carried forward without the store.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::status::TaskStatus;
use crate::id::TaskId;
use crate::name::SkillAddress;

/// What a step or a sub-agent sees of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBrief {
    /// The task.
    pub id: TaskId,
    /// Its number in the plan; empty if it has none.
    pub number: String,
    /// Its title.
    pub title: String,
    /// What the plan says about it, word for word; empty if it is in no plan.
    pub text: String,
    /// The skill that it names, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillAddress>,
    /// The files that the plan says it touches.
    #[serde(default)]
    pub files: Vec<String>,
}

/// Whether there is work in a task itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// There is something to do.
    Work,
    /// It only holds other tasks together: a phase, or the plan as a whole. It is over when they are.
    Group,
}

/// A task on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardTask {
    /// What agents see of it.
    pub brief: TaskBrief,
    /// Its parent task, if that is on the board too.
    pub parent: Option<TaskId>,
    /// Whether there is work in it.
    pub kind: TaskKind,
    /// Where it stands.
    pub status: TaskStatus,
    /// What must be closed before it or anything in it can start. What is not on the board and still open counts too.
    pub waits_for: Vec<TaskId>,
}

/// What happens to a task because of what happens to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEffect {
    /// Work on it begins.
    Start,
    /// It is finished.
    Done,
    /// It is left out.
    Skip {
        /// Why.
        reason: String,
    },
    /// It could not be finished.
    Fail {
        /// Why.
        reason: String,
    },
    /// Another agent or a person has to act before it can continue.
    Block {
        /// What about.
        reason: String,
    },
    /// No agent works on it any more; its outcome is open.
    Release,
}

/// The tasks of a plan, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    tasks: Vec<BoardTask>,
    places: BTreeMap<TaskId, usize>,
}

impl Board {
    /// The board with these tasks, in the order of the plan, a parent before its children.
    pub fn new(tasks: Vec<BoardTask>) -> Self {
        let places = tasks
            .iter()
            .enumerate()
            .map(|(place, task)| (task.brief.id.clone(), place))
            .collect();
        Self { tasks, places }
    }

    /// All of them.
    pub fn tasks(&self) -> &[BoardTask] {
        &self.tasks
    }

    /// What can start now, in the order of the plan.
    pub fn ready(&self) -> Vec<&TaskBrief> {
        let with_open_child: BTreeSet<&TaskId> = self
            .tasks
            .iter()
            .filter(|task| task.status.is_open())
            .filter_map(|task| task.parent.as_ref())
            .collect();
        let startable = |task: &&BoardTask| {
            task.kind == TaskKind::Work
                && task.status == TaskStatus::Pending
                && !with_open_child.contains(&task.brief.id)
                && !self.waits(task)
        };
        self.tasks
            .iter()
            .filter(startable)
            .map(|task| &task.brief)
            .collect()
    }

    /// How many tasks with work in them are neither done nor skipped.
    pub fn open(&self) -> usize {
        self.work().filter(|task| task.status.is_open()).count()
    }

    /// How many tasks with work in them are done.
    pub fn done(&self) -> usize {
        self.work().filter(|task| task.status == TaskStatus::Done).count()
    }

    /// How many tasks have work in them.
    pub fn total(&self) -> usize {
        self.work().count()
    }

    /// Carries the board forward. Groups whose tasks are all closed are closed with the last of them.
    pub fn apply(&mut self, id: &TaskId, effect: &TaskEffect) {
        let status = match effect {
            TaskEffect::Start => TaskStatus::Active,
            TaskEffect::Done => TaskStatus::Done,
            TaskEffect::Skip { .. } => TaskStatus::Skipped,
            TaskEffect::Fail { .. } => TaskStatus::Failed,
            TaskEffect::Block { .. } => TaskStatus::Blocked,
            TaskEffect::Release => TaskStatus::Pending,
        };
        self.set(id, status);
        for group in self.finished_groups() {
            self.set(&group, TaskStatus::Done);
        }
    }

    /// The open groups all of whose tasks are closed, the innermost first.
    pub fn finished_groups(&self) -> Vec<TaskId> {
        let mut finished: Vec<TaskId> = Vec::new();
        let mut with_open_child: BTreeSet<&TaskId> = BTreeSet::new();
        // Parents come before children, so going backwards meets the children of a group first.
        for task in self.tasks.iter().rev().filter(|task| task.status.is_open()) {
            if task.kind == TaskKind::Group && !with_open_child.contains(&task.brief.id) {
                finished.push(task.brief.id.clone());
            } else {
                with_open_child.extend(task.parent.as_ref());
            }
        }
        finished
    }

    fn work(&self) -> impl Iterator<Item = &BoardTask> {
        self.tasks.iter().filter(|task| task.kind == TaskKind::Work)
    }

    fn task(&self, id: &TaskId) -> Option<&BoardTask> {
        self.tasks.get(*self.places.get(id)?)
    }

    fn set(&mut self, id: &TaskId, status: TaskStatus) {
        if let Some(task) = self.places.get(id).and_then(|place| self.tasks.get_mut(*place)) {
            task.status = status;
        }
    }

    /// Whether something that it or an ancestor needs is still open.
    fn waits(&self, task: &BoardTask) -> bool {
        let unmet = |id: &TaskId| self.task(id).is_none_or(|other| other.status.is_open());
        let mut at = Some(task);
        while let Some(task) = at {
            if task.waits_for.iter().any(unmet) {
                return true;
            }
            at = task.parent.as_ref().and_then(|parent| self.task(parent));
        }
        false
    }
}
