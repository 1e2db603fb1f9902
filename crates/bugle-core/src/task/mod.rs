//! Tasks: a tree of what is to be done, kept where an agent cannot lose it.
//!
//! What somebody said about a task is its standing; the state that people see follows from it. The position is the first
//! open task without an open child, in the order of the plan.

mod board;
mod cycle;
mod decide;
mod event;
mod forest;
mod import;
mod order;
mod rights;
mod settle;
mod standing;

pub use board::{Board, BoardTask, Substance, TaskBrief, TaskEffect};
pub use cycle::{Waiting, break_cycles, find_cycle};
pub use decide::{
    Around, LONGEST_NOTE, LONGEST_TITLE, TaskChanges, TaskCommand, TaskRefusal, decide_task, opened_above,
    title_of,
};
pub use event::{CorruptTask, PlanLink, RecordedTaskEvent, Removal, Task, TaskEvent, WaitSource};
pub use forest::Forest;
pub use import::{Import, Importing, PlanCycle, import, reorder};
pub use order::{MOST_LEVELS, Rank, TreePath};
pub use rights::{TaskDeed, TaskTies, task_right};
pub use settle::settle;
pub use standing::{Standing, TaskState};
