//! Sub-agents of a run.

mod joins;
