//! A run's tasks, for the engine: which tasks can start, and how effects change the tasks.
//!
//! One decision can finish a task and start the next one, so the board applies effects without the store.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::status::TaskStatus;
use crate::id::TaskId;
use crate::name::SkillAddress;

/// A task as a step or sub-agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskBrief {
    /// The task.
    pub id: TaskId,
    /// The task's number in the plan; empty if it has none.
    pub number: String,
    /// The task's title.
    pub title: String,
    /// The task's unchanged text from the plan; empty if the task is not in a plan.
    pub text: String,
    /// The skill that the task names, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillAddress>,
    /// The files that the plan names for the task.
    #[serde(default)]
    pub files: Vec<String>,
}

/// Whether a task has work of its own or only groups others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// The task has work of its own.
    Work,
    /// The task only groups other tasks, like a phase or the whole plan. It closes when all of them are closed.
    Group,
}

/// A task on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardTask {
    /// The task as agents see it.
    pub brief: TaskBrief,
    /// The task's parent, if the parent is on the board.
    pub parent: Option<TaskId>,
    /// Whether the task has work of its own.
    pub kind: TaskKind,
    /// The task's status.
    pub status: TaskStatus,
    /// The tasks that must be closed before this task or its children can start, including open tasks that are not on
    /// the board.
    pub waits_for: Vec<TaskId>,
}

/// A run's effect on a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEffect {
    /// The task starts.
    Start,
    /// The task was done.
    Done,
    /// The task was skipped.
    Skip {
        /// The reason.
        reason: String,
    },
    /// The task failed.
    Fail {
        /// The reason.
        reason: String,
    },
    /// The task is blocked: another agent or a person must act.
    Block {
        /// The reason.
        reason: String,
    },
    /// The task was released: it is open again, and no agent is working on it.
    Release,
}

/// A plan's tasks, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    tasks: Vec<BoardTask>,
    places: BTreeMap<TaskId, usize>,
}

impl Board {
    /// Creates a board from tasks in plan order, parents before children.
    pub fn new(tasks: Vec<BoardTask>) -> Self {
        let places = tasks
            .iter()
            .enumerate()
            .map(|(place, task)| (task.brief.id.clone(), place))
            .collect();
        Self { tasks, places }
    }

    /// All tasks.
    pub fn tasks(&self) -> &[BoardTask] {
        &self.tasks
    }

    /// The tasks that can start now, in plan order.
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

    /// The number of open tasks with work of their own.
    pub fn open(&self) -> usize {
        self.work().filter(|task| task.status.is_open()).count()
    }

    /// The number of finished tasks with work of their own.
    pub fn done(&self) -> usize {
        self.work().filter(|task| task.status == TaskStatus::Done).count()
    }

    /// The number of tasks with work of their own.
    pub fn total(&self) -> usize {
        self.work().count()
    }

    /// Applies an effect. A group closes with the last open task in it.
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

    /// The open groups whose tasks are all closed, innermost first.
    pub fn finished_groups(&self) -> Vec<TaskId> {
        let mut finished: Vec<TaskId> = Vec::new();
        let mut with_open_child: BTreeSet<&TaskId> = BTreeSet::new();
        // Parents come before their children, so the reverse order visits children first.
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

    /// Whether the task or one of its ancestors has an open dependency.
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
