//! Workflows that are valid by construction.

use bugle_core::workflow::WorkflowDef;
use proptest::prelude::*;

use super::build::definition;
use super::guard::Guards;
use super::plan;

/// Workflows that pass every rule: chains, branches and joins, nested loops, gates, questions, failures.
pub fn valid_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverAnything))
        .boxed()
}

/// Valid workflows in which guards read only the latest result, so that an agent can take any transition by choosing
/// the right result.
pub fn steerable_workflow() -> BoxedStrategy<WorkflowDef> {
    plan::plan()
        .prop_map(|plan| definition(&plan, Guards::OverOwnResult))
        .boxed()
}
