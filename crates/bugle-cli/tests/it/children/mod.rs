//! Sub-agents.

mod joins;
mod reports;
