//! Tasks: a tree of what is to be done, kept where an agent cannot lose it.
//!
//! What somebody said about a task is its standing; the state that people see follows from it. The position is the first
//! open task without an open child, in the order of the plan.

mod board;
mod standing;

pub use board::{Board, BoardTask, Substance, TaskBrief, TaskEffect};
pub use standing::{Standing, TaskState};
