//! Tasks.

mod arguments;
mod claims;
mod details;
mod ownership;
mod position;
mod rights;
mod skill_selection;
mod store;
