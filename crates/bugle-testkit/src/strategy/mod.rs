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

/// Maximum number of steps in a random workflow.
pub const MAX_STEPS: usize = 12;

/// Workflows that pass every rule: chains, branches and joins, nested loops, gates, questions, failures.
pub fn valid_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverAnything))
        .boxed()
}

/// Valid workflows in which guards read only the latest result, so that an agent can take any transition by choosing the
/// right result.
pub fn steerable_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverOwnResult))
        .boxed()
}
