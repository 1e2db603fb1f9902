//! Random workflows: valid by construction, or breaking exactly one rule.

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

/// The maximum number of steps of a random workflow.
pub const MAX_STEPS: usize = 12;

/// Workflows that pass every rule: chains, branches and joins, loops in loops, gates, questions, failures.
pub fn valid_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverAnything))
        .boxed()
}

/// Valid workflows in which every guard reads only the latest result, so that an agent with the right results can take every
/// transition.
pub fn steerable_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverOwnResult))
        .boxed()
}
