//! Tasks and plans: their events and the rows that make queries fast.
//!
//! A row contains its task's state and counts derived from other tasks: open children and open blockers. Every change
//! updates these counts, so that an index finds the current position and the ready tasks. `store verify` recomputes
//! them.

mod blockers;
mod change;
mod claims;
mod events;
mod new_tasks;
mod plans;
mod queries;
mod rows;
mod sql_helpers;

pub use claims::LockedTasks;
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
    /// The task's project.
    pub project: ProjectId,
    /// The root of the task's tree.
    pub root: TaskId,
    /// The task's path, which sorts all tasks in order.
    pub path: TreePath,
    /// The number of children.
    pub children: u32,
    /// The number of open children.
    pub open_children: u32,
    /// The number of open tasks that the task and its ancestors are waiting for.
    pub blockers: u32,
    /// The number of these blockers that come only from the plan's order.
    pub turn_blockers: u32,
}

impl TaskRow {
    /// Whether a declared dependency is open. A task that is only waiting for its turn is not blocked.
    pub fn is_blocked(&self) -> bool {
        self.blockers > self.turn_blockers
    }
}

/// An open task that is waiting for another open task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskWait {
    /// The waiting task.
    pub task: (TaskId, TreePath),
    /// The task that must be closed first.
    pub on: (TaskId, TreePath),
    /// The source of the dependency.
    pub says: WaitSource,
}

/// The tree that a session worked on last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Focus {
    /// The tree's root.
    pub root: TaskId,
    /// The path of the root.
    pub path: TreePath,
    /// The number of the root's children.
    pub children: u32,
    /// Whether the root is open.
    pub is_open: bool,
}

/// An imported plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// The plan's id.
    pub id: PlanId,
    /// The plan's project.
    pub project: ProjectId,
    /// The plan's file, relative to the worktree root; absolute if the file is outside the worktree.
    pub file: String,
    /// The plan's title.
    pub title: String,
    /// The content hash of the last import.
    pub source: ContentHash,
    /// The branch of the last import. Plans are never looked up by branch.
    pub branch: Option<String>,
    /// The plan's root task.
    pub root: TaskId,
    /// The time of the last import.
    pub imported_at: Timestamp,
}

/// The skill version that a task tree is pinned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPin {
    /// The skill.
    pub skill: SkillAddress,
    /// The hash of the skill's file list.
    pub hash: ContentHash,
    /// The version that the skill declares.
    pub version: Option<String>,
    /// Where the skill was found.
    pub source: String,
    /// When the skill was pinned.
    pub pinned_at: Timestamp,
}
