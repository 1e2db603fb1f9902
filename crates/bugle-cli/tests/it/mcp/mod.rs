//! The MCP server.

mod calls;
mod http;
mod protocol;
mod same_answers;
