//! Agent processes: the supervisor, the runner that executes one prompt, and following an agent's log.

mod event_loop;
mod file_events;
mod follow_log;
mod runner;
mod store_events;

pub use event_loop::{SupervisorOptions, run_supervisor};
pub use follow_log::follow_log;
pub use runner::run_agent;
