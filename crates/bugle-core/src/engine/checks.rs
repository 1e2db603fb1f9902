//! The checks of a step: whether a well-formed result also makes sense.

use serde_json::Value;

use super::finish::guard_values;
use super::refusal::{FailedCheck, Refusal};
use super::state::RunState;
use super::visit::Visit;
use crate::shape::Shape;
use crate::task::Board;
use crate::workflow::{StepDef, Workflow};

/// Refuses a result of which a check does not hold, with every check that does not.
pub(super) fn hold(
    run: (&RunState, &Workflow, Option<&Board>),
    (step, visit): (&StepDef, &Visit),
    result: Option<&Value>,
) -> Result<(), Refusal> {
    // The checks of a dispatch are about what each sub-agent reports, and were held against that.
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

/// The checks of a step that do not hold of these values. One without an answer does not hold.
pub(super) fn failed(step: &StepDef, values: &Value) -> Vec<FailedCheck> {
    let mut failed = Vec::new();
    for check in &step.check {
        let error = match check.that.holds(values) {
            Ok(true) => continue,
            Ok(false) => None,
            Err(error) => Some(error.to_string()),
        };
        failed.push(FailedCheck {
            say: check.say.clone(),
            that: check.that.to_string(),
            error,
        });
    }
    failed
}
