//! Tasks: a durable tree of work that outlives agent sessions.
//!
//! Commands set a task's status; its visible state is derived from the status. The position is the first open task
//! without an open child, in plan order.

mod board;
mod cycle;
mod decide;
mod event;
mod forest;
mod import;
mod order;
mod refusal_codes;
mod rights;
mod settle;
mod status;
mod work_order;

pub use board::{Board, BoardTask, TaskBrief, TaskEffect, TaskKind};
pub use cycle::{CycleSearch, Waiting, break_cycles, find_cycle};
pub use decide::{
    MAX_NOTE_LENGTH, MAX_TITLE_LENGTH, TaskChanges, TaskCommand, TaskRefusal, TaskRelations, decide_task,
    opened_above, title_of,
};
pub use event::{CorruptTask, PlanLink, RecordedTaskEvent, Removal, Task, TaskEvent, WaitSource};
pub use forest::Forest;
pub use import::{Import, Importing, PlanCycle, import, reorder};
pub use order::{MAX_LEVELS, Rank, TreePath};
pub use rights::{CallerRelation, TaskAction, task_right};
pub use settle::settle;
pub use status::{TaskState, TaskStatus};
pub use work_order::{reordered, work_order};
