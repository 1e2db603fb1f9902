//! The result of a command on tasks.

use super::task::{TaskPosition, TaskView};
use super::task_name::TaskName;
use crate::id::RunId;
use crate::name::{AgentName, SkillAddress};
use crate::task::{TaskEvent, TaskStatus};

/// The tasks that a command changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TasksChanged {
    /// The command's effects, one per task.
    pub outcomes: Vec<TaskOutcome>,
    /// The tasks that the command named.
    pub tasks: Vec<TaskView>,
    /// Side effects, and requested changes that had no effect.
    pub also: Vec<SideEffect>,
    /// The position after the command.
    pub next: Option<TaskPosition>,
}

/// A command's effect on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskOutcome {
    /// The task.
    pub name: TaskName,
    /// The effect.
    pub did: TaskChange,
}

/// A change to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskChange {
    /// A note was added.
    Noted,
    /// The task was renamed.
    Renamed,
    /// The task's skill was set, or removed.
    Skill(Option<SkillAddress>),
    /// The task was assigned, or unassigned.
    Assigned(Option<AgentName>),
    /// The task now has this status.
    Status(TaskStatus),
    /// The task was removed.
    Removed,
}

/// A side effect of a command on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SideEffect {
    /// The command changed nothing.
    NothingChanged,
    /// No task of the project is open.
    AllClosed,
    /// Another task changed.
    Changed {
        /// The task.
        name: TaskName,
        /// The event that changed the task.
        event: Box<TaskEvent>,
    },
    /// Number of further tasks that changed.
    More(usize),
    /// The task now waits for this task.
    Waits(TaskName),
    /// The task was already waiting for this task.
    AlreadyWaits(TaskName),
    /// The task no longer waits for this task.
    WaitsNoMore(TaskName),
    /// The task was not waiting for this task.
    DidNotWait(TaskName),
    /// The plan's order changed: the tasks whose place changed, in their new order.
    NewOrder(Vec<TaskName>),
    /// The task is closed, but a run that was started for it is still open.
    RunStillOpen {
        /// The run.
        run: RunId,
        /// The run's skill.
        skill: String,
        /// The command that continues the run.
        step: String,
        /// The command that cancels the run. Only the user may decide to cancel it.
        cancel: String,
    },
    /// The task is now under this task, or at the top level.
    MovedUnder(Option<TaskName>),
}
