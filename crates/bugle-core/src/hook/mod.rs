//! What is decided when a client tells of what its agent does: whether a tool may be used, whether the agent may stop,
//! and whether a compaction went by without a wake-up.

mod mirror;
mod session;
mod shell;
mod stop;
mod territory;
mod tool;

pub use mirror::{MirrorAct, Mirrored, TodoItem, TodoState, mirror};
pub use session::{MOST_OPEN_RUNS, SessionMemory, Surroundings, hooks_are_quiet};
pub use shell::{Access, Shell, Target, Write, calls_only, child_started, tokens_named};
pub use stop::{MOST_STOPS, Pending, StopVerdict, Stopping, kept_by, stop};
pub use territory::{Protected, Territory};
pub use tool::{Denied, STORE_CHANGES, ToolUse, judge};
