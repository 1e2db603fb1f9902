//! Everything asynchronous. A command that ends at once never comes here, so that it need not start a runtime.

mod agents;
mod end;
mod first_request;
mod mcp;
mod serve;
mod ui;

pub use agents::{Supervision, carry, follow, up};
pub use mcp::{Address, DEFAULT_PORT, Surroundings, serve_http, serve_stdio};
pub use ui::{PAGE_PORT, PageLink, serve_page};
