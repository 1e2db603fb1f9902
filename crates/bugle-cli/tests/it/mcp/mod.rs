//! The MCP server.

mod alone;
mod answers;
mod calls;
mod http;
mod protocol;
mod same_answers;
