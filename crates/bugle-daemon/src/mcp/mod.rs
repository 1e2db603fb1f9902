//! MCP server: a few tools that call the same use cases as the commands and return the same replies. The server is
//! stateless: every call opens the store.

mod arguments;
mod bounds;
mod call_result;
mod calls;
mod http;
mod long_lines;
mod outbox;
mod question;
mod run_calls;
mod server;
mod session;
mod stdio;
mod task_calls;
mod tools;

use bugle_core::id::Timestamp;
use std::path::PathBuf;

pub use http::{MCP_PORT, McpAddress, serve_http};
pub use stdio::serve_stdio;

/// Server options.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The working directory of all calls.
    pub directory: PathBuf,
    /// Formats a time in the user's time zone.
    pub clock: fn(Timestamp) -> String,
    /// Formats only the time of day.
    pub short_clock: fn(Timestamp) -> String,
}
