//! Tasks.

mod arguments;
mod claims;
mod details;
mod position;
mod rights;
mod skill_selection;
