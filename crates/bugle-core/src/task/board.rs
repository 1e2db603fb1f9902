//! The tasks of a run's plan as the engine sees them: enough to say what can start, and what follows from an effect.
//!
//! A decision may finish one task and take up the next in one go, so the board can be carried forward without the store.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::standing::Standing;
use crate::id::TaskId;
use crate::name::SkillAddress;

/// What a step or a sub-agent is told about a task.
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
pub enum Substance {
    /// There is something to do.
    Work,
    /// It only holds other tasks together: a phase, or the plan as a whole. It is over when they are.
    Group,
}

/// A task on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardTask {
    /// What is told about it.
    pub brief: TaskBrief,
    /// The task it lies in, if that is on the board too.
    pub parent: Option<TaskId>,
    /// Whether there is work in it.
    pub substance: Substance,
    /// Where it stands.
    pub standing: Standing,
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
    /// Somebody else has to act before it can go on.
    Block {
        /// What about.
        reason: String,
    },
    /// Nobody works on it any more, and nothing is decided.
    Release,
}

/// The tasks of a plan, in its order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Board {
    tasks: Vec<BoardTask>,
    places: BTreeMap<TaskId, usize>,
}

impl Board {
    /// The board with these tasks, in the order of the plan, a parent before what lies in it.
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
            .filter(|task| task.standing.is_open())
            .filter_map(|task| task.parent.as_ref())
            .collect();
        let startable = |task: &&BoardTask| {
            task.substance == Substance::Work
                && task.standing == Standing::Pending
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
        self.work().filter(|task| task.standing.is_open()).count()
    }

    /// How many tasks with work in them are done.
    pub fn done(&self) -> usize {
        self.work().filter(|task| task.standing == Standing::Done).count()
    }

    /// How many tasks have work in them.
    pub fn total(&self) -> usize {
        self.work().count()
    }

    /// Carries the board forward. Groups whose tasks are all closed are closed with the last of them.
    pub fn apply(&mut self, id: &TaskId, effect: &TaskEffect) {
        let standing = match effect {
            TaskEffect::Start => Standing::Active,
            TaskEffect::Done => Standing::Done,
            TaskEffect::Skip { .. } => Standing::Skipped,
            TaskEffect::Fail { .. } => Standing::Failed,
            TaskEffect::Block { .. } => Standing::Blocked,
            TaskEffect::Release => Standing::Pending,
        };
        self.set(id, standing);
        for group in self.finished_groups() {
            self.set(&group, Standing::Done);
        }
    }

    /// The open groups all of whose tasks are closed, the innermost first.
    pub fn finished_groups(&self) -> Vec<TaskId> {
        let mut finished: Vec<TaskId> = Vec::new();
        let mut with_open_child: BTreeSet<&TaskId> = BTreeSet::new();
        // A parent stands before what lies in it, so going backwards meets what lies in a group first.
        for task in self.tasks.iter().rev().filter(|task| task.standing.is_open()) {
            if task.substance == Substance::Group && !with_open_child.contains(&task.brief.id) {
                finished.push(task.brief.id.clone());
            } else {
                with_open_child.extend(task.parent.as_ref());
            }
        }
        finished
    }

    fn work(&self) -> impl Iterator<Item = &BoardTask> {
        self.tasks.iter().filter(|task| task.substance == Substance::Work)
    }

    fn task(&self, id: &TaskId) -> Option<&BoardTask> {
        self.tasks.get(*self.places.get(id)?)
    }

    fn set(&mut self, id: &TaskId, standing: Standing) {
        if let Some(task) = self.places.get(id).and_then(|place| self.tasks.get_mut(*place)) {
            task.standing = standing;
        }
    }

    /// Whether something that it or what it lies in needs is still open.
    fn waits(&self, task: &BoardTask) -> bool {
        let unmet = |id: &TaskId| self.task(id).is_none_or(|other| other.standing.is_open());
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
