//! MCP: a few tools that call the same use cases as the commands, with the same replies. The server keeps no state: every
//! call opens the store.

mod arguments;
mod bounds;
mod call_result;
mod calls;
mod http;
mod long_lines;
mod outbox;
mod server;
mod session;
mod stdio;
mod task_calls;
mod tools;

use std::path::PathBuf;

pub use http::{MCP_PORT, McpAddress, serve_http};
pub use stdio::serve_stdio;

/// Options of a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The folder that calls act in.
    pub directory: PathBuf,
    /// Formats a time in the time zone of the user.
    pub clock: fn(i64) -> String,
    /// The same, only the time of day.
    pub short_clock: fn(i64) -> String,
}
