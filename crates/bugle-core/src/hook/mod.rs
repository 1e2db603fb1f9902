//! Rules for client hooks: whether a tool may be used, whether the agent may stop, and whether it needs a wake-up after
//! a compaction.

mod mirror;
mod paths;
mod session;
mod shell;
mod stop;
mod tool;

pub use mirror::{TodoAction, TodoItem, TodoState, TodoUpdate, mirror};
pub use paths::{AgentPaths, Protected};
pub use session::{Delegation, FolderFacts, MAX_OPEN_RUNS, SessionMemory, hooks_are_quiet};
pub use shell::{Access, Shell, Write, WriteTarget, calls_only, child_started, tokens_named};
pub use stop::{MAX_STOPS, Pending, StopAttempt, StopDecision, blocking_run, stop};
pub use tool::{Denied, STORE_CHANGES, ToolUse, judge};
