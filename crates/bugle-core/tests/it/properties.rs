//! Properties of every workflow and every run.

mod amnesia;
mod audits;
mod joins;
mod rules;
mod runs;
mod tasks;
mod walks;
