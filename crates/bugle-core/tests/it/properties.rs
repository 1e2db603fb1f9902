//! What holds for every workflow and every run.

mod rules;
mod runs;
mod walks;
