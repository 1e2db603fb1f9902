//! What is decided when a client tells of what its agent does: whether a tool may be used, whether the agent may stop,
//! and whether a compaction went by without a wake-up.

mod mirror;
mod session;
mod shell;
mod shell_programs;
mod shell_words;
mod stop;
mod tool;

pub use mirror::{MirrorAct, Mirrored, TodoItem, TodoState, mirror};
pub use session::{SessionMemory, Surroundings};
pub use shell::{Write, calls_only, child_started, writes};
pub use stop::{MOST_STOPS, StopVerdict, Stopping, stop};
pub use tool::{Denied, ToolUse, judge};
