//! The door for MCP clients: a few tools that are the same use cases as the commands, with the same answers.
//!
//! A server keeps nothing: every call looks around anew, opens the store, acts and answers.

mod arguments;
mod bounds;
mod calls;
mod http;
mod long_lines;
mod outbox;
mod server;
mod session;
mod stdio;
mod tools;

use std::path::PathBuf;

pub use http::{Address, DEFAULT_PORT, serve_http};
pub use stdio::serve_stdio;

/// Where a server is, and what it cannot know by itself.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The folder that calls act in.
    pub directory: PathBuf,
    /// How a moment is written; the shell knows the time zone.
    pub clock: fn(i64) -> String,
    /// The same, only the time of day.
    pub short_clock: fn(i64) -> String,
}
