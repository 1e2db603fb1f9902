//! The long-running, async parts of Bugle: dashboard, MCP server and supervisor. Short commands never start a runtime.

mod header_timeout;
mod mcp;
mod serve;
mod shutdown;
mod supervisor;
mod ui;

pub use mcp::{MCP_PORT, McpAddress, ServerOptions, serve_http, serve_stdio};
pub use supervisor::{SupervisorOptions, follow_log, run_agent, run_supervisor};
pub use ui::{PAGE_PORT, PageLink, serve_page};
