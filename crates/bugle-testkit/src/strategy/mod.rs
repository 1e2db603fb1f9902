//! Random workflows: sound ones by construction, and ones that break exactly one rule.

mod broken;
mod build;
mod faults;
mod guard;
mod paths;
mod plan;
mod shape;
mod tasks;
#[cfg(test)]
mod tests;

use bugle_core::workflow::WorkflowDef;
use proptest::prelude::*;

pub use broken::{Broken, broken_workflow};
pub use shape::sound_shape;
pub use tasks::over_tasks;

use build::{Guards, definition};

/// The most steps that a random workflow has.
pub const MAX_STEPS: usize = 12;

/// Workflows that pass every rule: chains, branches and joins, loops in loops, gates, questions, failures.
pub fn valid_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverAnything))
        .boxed()
}

/// Valid workflows in which every guard looks only at the result just brought, so that an agent that brings the right
/// results can take every transition.
pub fn steerable_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverOwnResult))
        .boxed()
}
