//! A step's checks on the content of its result.

use serde_json::Value;

use super::refusal::{FailedCheck, Refusal};
use super::state::RunState;
use super::visit::Visit;
use super::visit_outcome::guard_values;
use crate::shape::Shape;
use crate::task::Board;
use crate::workflow::{StepDef, Workflow};

/// Refuses a result that fails checks, listing every failed check.
pub(super) fn hold(
    run: (&RunState, &Workflow, Option<&Board>),
    (step, visit): (&StepDef, &Visit),
    result: Option<&Value>,
) -> Result<(), Refusal> {
    // A dispatch's checks apply to each sub-agent's report and have already passed.
    if step.check.is_empty() || step.dispatch.is_some() {
        return Ok(());
    }
    let failed = failed(step, &guard_values(run, (step, visit), result));
    if failed.is_empty() {
        return Ok(());
    }
    let expected = Shape::Object(step.result.clone());
    Err(Refusal::ChecksFailed { failed, expected })
}

/// The step's checks that these values fail. A check that cannot be evaluated counts as failed.
pub(super) fn failed(step: &StepDef, values: &Value) -> Vec<FailedCheck> {
    let mut failed = Vec::new();
    for check in &step.check {
        let (items, error) = match check.that.holds(values) {
            Ok(true) => continue,
            Ok(false) => (check.that.failing_items(values), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        failed.push(FailedCheck {
            say: check.say.clone(),
            that: check.that.to_string(),
            items,
            error,
        });
    }
    failed
}
