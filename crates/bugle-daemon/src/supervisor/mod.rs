//! Agents' processes: the runner that runs one client with one prompt, the supervisor that looks after all of them, and
//! following what one prints.

mod event_loop;
mod file_events;
mod follow_log;
mod runner;

pub use event_loop::{SupervisorOptions, run_supervisor};
pub use follow_log::follow_log;
pub use runner::run_agent;
