//! Tasks and plans: their events, and rows that make queries fast.
//!
//! A row holds the state of its task and counts that follow from other tasks: open children and open blockers. Every
//! change updates them, so that the position and the ready tasks are found by an index; `store verify` counts them
//! again.

mod blockers;
mod change;
mod plans;
mod queries;
mod rows;
mod sql_helpers;

pub(crate) use rows::select as select_tasks;
pub(crate) use sql_helpers::range as tasks_between;

use bugle_core::id::{ContentHash, PlanId, TaskId, Timestamp};
use bugle_core::name::SkillAddress;
use bugle_core::task::{Task, TreePath, WaitSource};

use crate::ProjectId;

/// A task and its counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The task.
    pub task: Task,
    /// Its project.
    pub project: ProjectId,
    /// The root of its tree.
    pub root: TaskId,
    /// Its path in the order of all tasks.
    pub path: TreePath,
    /// How many children it has.
    pub children: u32,
    /// How many children are open.
    pub open_children: u32,
    /// How many open tasks it and its ancestors wait for.
    pub blockers: u32,
    /// How many of these it waits for only because of the order of its plan.
    pub turn_blockers: u32,
}

impl TaskRow {
    /// Whether a declared dependency is open. A task that only waits for its turn is not blocked.
    pub fn is_blocked(&self) -> bool {
        self.blockers > self.turn_blockers
    }
}

/// An open task that waits for another open one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskWait {
    /// The task that waits.
    pub task: (TaskId, TreePath),
    /// The task it waits for.
    pub on: (TaskId, TreePath),
    /// Where the dependency comes from.
    pub says: WaitSource,
}

/// The tree that a session worked on last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus {
    /// Its root.
    pub root: TaskId,
    /// The path of its root.
    pub path: TreePath,
    /// How many children the root has.
    pub children: u32,
    /// Whether the root is open.
    pub is_open: bool,
}

/// A plan that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// Its id.
    pub id: PlanId,
    /// Its project.
    pub project: ProjectId,
    /// Its file: relative to the root of the worktree, or absolute if it is elsewhere.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The hash of the bytes that were imported last.
    pub source: ContentHash,
    /// The branch it was imported on last. Plans are never looked up by it.
    pub branch: Option<String>,
    /// Its root task.
    pub root: TaskId,
    /// When it was imported last.
    pub imported_at: Timestamp,
}

/// The version of a skill that a tree of tasks is pinned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPin {
    /// The skill.
    pub skill: SkillAddress,
    /// The hash of the list of its files.
    pub hash: ContentHash,
    /// Its declared version.
    pub version: Option<String>,
    /// Where it was found.
    pub source: String,
    /// When it was pinned.
    pub pinned_at: Timestamp,
}
