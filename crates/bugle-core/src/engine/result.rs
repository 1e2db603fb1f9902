//! What an agent returns at the end of a visit, checked against the step's declared result.

use serde_json::{Map, Value};

use super::refusal::Refusal;
use crate::shape::Shape;
use crate::workflow::StepDef;

/// Checks a result against the step's declared result.
pub(super) fn checked_result(step: &StepDef, result: Option<Value>) -> Result<Option<Value>, Refusal> {
    // A dispatch's declared result is required from its sub-agents, not from the step.
    if step.result.is_empty() || step.dispatch.is_some() {
        return match result {
            None => Ok(None),
            Some(Value::Object(map)) if map.is_empty() => Ok(None),
            Some(_) if step.dispatch.is_some() => Err(Refusal::AnswersForChildren),
            Some(_) => Err(Refusal::ResultUnexpected),
        };
    }
    let expected = Shape::Object(step.result.clone());
    let Some(result) = result else {
        return Err(Refusal::ResultMissing(expected));
    };
    let mismatches = expected.mismatches(&result);
    if mismatches.is_empty() {
        Ok(Some(without_nulls(result)))
    } else {
        Err(Refusal::ResultMismatch { mismatches, expected })
    }
}

/// Whether a repeated result equals the accepted result. A repeat without a result counts as equal.
pub(super) fn says_the_same(given: Option<&Value>, accepted: Option<&Value>) -> bool {
    let given = given.cloned().map(without_nulls);
    let empty = given
        .as_ref()
        .and_then(Value::as_object)
        .is_some_and(Map::is_empty);
    given.is_none() || given.as_ref() == accepted || (empty && accepted.is_none())
}

/// An optional field with the value null counts as absent.
pub(super) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, without_nulls(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
