//! Tasks and plans in the store: their events, and rows that make finding quick whatever the number of tasks.
//!
//! A row holds what its task's events have made of it, and beside that what follows from other tasks: how many children
//! are open, how many open tasks it waits for. These are kept up by every change, so that the position and what is ready
//! are found by an index; `App::verify` counts them anew.

mod blockers;
mod change;
mod pieces;
mod rows;
mod statements;

pub(crate) use pieces::range as tasks_between;
pub(crate) use rows::select as select_tasks;

use std::collections::BTreeMap;

use bugle_core::id::{ContentHash, PlanId, SessionId, TaskId, Timestamp};
use bugle_core::name::SkillAddress;
use bugle_core::task::{Rank, RecordedTaskEvent, Task, TreePath, WaitSource};

use crate::StoreError;
use crate::store::ProjectId;

/// A task, and what follows from the tasks around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The task.
    pub task: Task,
    /// The project it belongs to.
    pub project: ProjectId,
    /// The top of its tree.
    pub root: TaskId,
    /// Where it stands in the order of all tasks.
    pub path: TreePath,
    /// How many children it has.
    pub children: u32,
    /// How many of them are open.
    pub open_children: u32,
    /// How many open tasks it, and whatever it lies in, wait for.
    pub blockers: u32,
    /// How many of these it waits for because of the order of its plan alone.
    pub turn_blockers: u32,
}

impl TaskRow {
    /// Whether something is open that it was declared to wait for. A task that only waits for its turn is not blocked.
    pub fn is_blocked(&self) -> bool {
        self.blockers > self.turn_blockers
    }
}

/// A task that waits for another one, and both are open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskWait {
    /// The task that waits.
    pub task: (TaskId, TreePath),
    /// What it waits for.
    pub on: (TaskId, TreePath),
    /// Who says so.
    pub says: WaitSource,
}

/// A plan that was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRow {
    /// Its id.
    pub id: PlanId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// Its file: below the root of the work tree, or whole if it lies elsewhere.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The bytes that were imported last.
    pub source: ContentHash,
    /// The branch it was imported on last. Never part of what finds it.
    pub branch: Option<String>,
    /// The task that stands for it as a whole.
    pub root: TaskId,
    /// When it was imported last.
    pub imported_at: Timestamp,
}

/// The exact version of a skill that a tree of tasks keeps to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPin {
    /// The skill.
    pub skill: SkillAddress,
    /// The hash of the list of its files.
    pub hash: ContentHash,
    /// The version it calls itself.
    pub version: Option<String>,
    /// Where it was found.
    pub source: String,
    /// When.
    pub pinned_at: Timestamp,
}

/// What Bugle needs of a store for tasks and plans.
pub trait TaskStore {
    /// Does `work` in one transaction that no other writer comes between: all of it lasts, or none. Inside another one it
    /// is a part of that: if it fails, nothing of the whole lasts, whatever the whole does afterwards.
    fn together<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E>;
    /// The same for what may be lost with the power, because nobody relies on it; it is not waited for that the disk has it.
    fn together_lightly<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E>;
    /// Has everything that is read from now on be of this moment, until `let_go` or until something is written.
    fn hold_still(&mut self) -> Result<(), StoreError>;
    /// Lets what others write be seen again.
    fn let_go(&mut self) -> Result<(), StoreError>;
    /// A task by its id.
    fn task(&mut self, id: &TaskId) -> Result<Option<TaskRow>, StoreError>;
    /// The tasks whose id begins so, a few at most.
    fn tasks_by_prefix(&mut self, prefix: &str) -> Result<Vec<TaskRow>, StoreError>;
    /// A task and everything in it, in order; what was removed as well.
    fn subtree(&mut self, project: &ProjectId, path: &TreePath) -> Result<Vec<TaskRow>, StoreError>;
    /// Every task of a project in order, whatever its row says of where it stands; what was removed as well.
    fn tasks_of_project(&mut self, project: &ProjectId) -> Result<Vec<TaskRow>, StoreError>;
    /// What a task lies in, the nearest first.
    fn above(&mut self, row: &TaskRow) -> Result<Vec<TaskRow>, StoreError>;
    /// The children of a task, or what stands at the top of a project; what was removed only if `removed`.
    fn siblings(
        &mut self,
        project: &ProjectId,
        parent: Option<&TaskId>,
        removed: bool,
    ) -> Result<Vec<TaskRow>, StoreError>;
    /// A task and its nearest siblings, so many before it and behind it, in order; only itself if it stands at the top.
    fn beside(&mut self, row: &TaskRow, most: u32) -> Result<Vec<TaskRow>, StoreError>;
    /// The rank of the last child of a task, or of what stands at the top of a project; removed ones count.
    fn last_rank(&mut self, project: &ProjectId, parent: Option<&TaskId>)
    -> Result<Option<Rank>, StoreError>;
    /// The sibling that was closed last before a task, in order, and the open one that comes next.
    fn neighbours(&mut self, row: &TaskRow) -> Result<(Option<TaskRow>, Option<TaskRow>), StoreError>;
    /// The first open task without an open child, in the whole project or below a path.
    fn position(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
    ) -> Result<Option<TaskRow>, StoreError>;
    /// What can start or be closed, in order; only what has no children at all if `leaves`.
    fn ready(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        leaves: bool,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError>;
    /// What somebody is at, in order.
    fn active(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError>;
    /// What was taken out of the tree of a project, in order.
    fn removed(&mut self, project: &ProjectId, limit: u32) -> Result<Vec<TaskRow>, StoreError>;
    /// The first tasks in order that were not removed, of a project or below a path; those of trees that are closed as a
    /// whole only if `all`.
    fn window(
        &mut self,
        project: &ProjectId,
        within: Option<&TreePath>,
        all: bool,
        limit: u32,
    ) -> Result<Vec<TaskRow>, StoreError>;
    /// Whether something below a path, itself not counted, is under way or over.
    fn is_begun_inside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError>;
    /// Whether something of a project is open that does not lie below a path.
    fn is_open_outside(&mut self, project: &ProjectId, path: &TreePath) -> Result<bool, StoreError>;
    /// The open tasks that a task or one of its ancestors waits for, and who says so.
    fn waits_for(&mut self, row: &TaskRow) -> Result<Vec<(TaskRow, WaitSource)>, StoreError>;
    /// What was declared to wait for a task; the order of a plan is left out.
    fn waiting_for(&mut self, id: &TaskId) -> Result<Vec<TaskRow>, StoreError>;
    /// All open tasks of a project that wait for an open one.
    fn waiting(&mut self, project: &ProjectId) -> Result<Vec<TaskWait>, StoreError>;
    /// Everything that happened to a task.
    fn task_events(&mut self, id: &TaskId) -> Result<Vec<RecordedTaskEvent>, StoreError>;
    /// The events of several tasks, those of each in order.
    fn events_of_tasks(
        &mut self,
        ids: &[TaskId],
    ) -> Result<BTreeMap<TaskId, Vec<RecordedTaskEvent>>, StoreError>;
    /// Adds events to tasks, and brings every row up to date that follows from them. False if a new id is taken; then
    /// nothing was written.
    fn change_tasks(
        &mut self,
        project: &ProjectId,
        changes: &[(TaskId, RecordedTaskEvent)],
    ) -> Result<bool, StoreError>;

    /// The plan with this id, or the beginning of it; a few at most.
    fn plans_by_prefix(&mut self, prefix: &str) -> Result<Vec<PlanRow>, StoreError>;
    /// The plan from this file.
    fn plan_of_file(&mut self, project: &ProjectId, file: &str) -> Result<Option<PlanRow>, StoreError>;
    /// The plans of a project, in the order of their roots.
    fn plans(&mut self, project: &ProjectId) -> Result<Vec<PlanRow>, StoreError>;
    /// Keeps a plan, or what has changed about it.
    fn keep_plan(&mut self, plan: &PlanRow) -> Result<(), StoreError>;
    /// Every task that came from a plan, wherever it is now, in order.
    fn tasks_of_plan(&mut self, plan: &PlanId) -> Result<Vec<TaskRow>, StoreError>;
    /// How many tasks with work in them a plan has, and how many of them are closed. No more are counted than asked for.
    fn plan_counts(&mut self, plan: &PlanId, most: u32) -> Result<(u32, u32), StoreError>;
    /// All projects that have tasks.
    fn projects_with_tasks(&mut self) -> Result<Vec<ProjectId>, StoreError>;

    /// The tree that a session, or else anybody, worked on last.
    fn focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
    ) -> Result<Option<TaskRow>, StoreError>;
    /// Remembers the tree that a session, and so somebody, worked on last.
    fn set_focus(
        &mut self,
        project: &ProjectId,
        session: Option<&SessionId>,
        root: &TaskId,
    ) -> Result<(), StoreError>;

    /// The versions of skills that a tree keeps to.
    fn skill_pins(&mut self, root: &TaskId) -> Result<Vec<SkillPin>, StoreError>;
    /// Has a tree keep to this version of a skill; another one only if `replace`.
    fn pin_skill(&mut self, root: &TaskId, pin: &SkillPin, replace: bool) -> Result<(), StoreError>;
}
