//! Everything asynchronous. A command that ends at once never comes here, so that it need not start a runtime.

mod end;
mod mcp;

pub use mcp::{Address, DEFAULT_PORT, Surroundings, serve_http, serve_stdio};
