//! What an agent returns at the end of a visit, checked against the step's declared result.

use serde_json::{Map, Value};

use super::also_found::AlsoFound;
use super::refusal::Refusal;
use crate::name::FieldName;
use crate::review::Severity;
use crate::shape::{Field, Length, Presence, Shape};
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

/// The result field with the problems.
const ALSO_FOUND: &str = "also_found";

/// The shape of the `also_found` field.
fn also_found_shape() -> Shape {
    let text = || {
        Shape::String(Length {
            min: Some(1),
            max: None,
        })
    };
    let severities = Severity::ALL
        .map(|severity| severity.as_str().to_owned())
        .to_vec();
    let field = |name: &str, shape: Shape, presence: Presence| {
        let name = FieldName::new(name).ok()?;
        Some(Field {
            name,
            shape,
            presence,
            help: None,
        })
    };
    let fields = [
        field("what", text(), Presence::Required),
        field("place", text(), Presence::Required),
        field("severity", Shape::Enum(severities), Presence::Optional),
    ];
    Shape::Array {
        items: Box::new(Shape::Object(fields.into_iter().flatten().collect())),
        length: Length::default(),
        unique: None,
    }
}

/// Whether the step's result has a field with this name of its own.
fn declares(step: &StepDef) -> bool {
    step.result.iter().any(|field| field.name.as_str() == ALSO_FOUND)
}

/// Takes the other problems out of a result. A step that declares a field with this name keeps the field.
pub(super) fn split_also_found(
    step: &StepDef,
    result: Option<Value>,
) -> Result<(Option<Value>, Vec<AlsoFound>), Refusal> {
    let Some(Value::Object(mut fields)) = result else {
        return Ok((result, Vec::new()));
    };
    let found = if declares(step) {
        None
    } else {
        fields.remove(ALSO_FOUND)
    };
    let found = match found {
        None | Some(Value::Null) => Vec::new(),
        Some(value) => read_also_found(value)?,
    };
    // A step without a result may return only other problems.
    let is_nothing = fields.is_empty() && step.result.is_empty();
    Ok(((!is_nothing).then_some(Value::Object(fields)), found))
}

fn read_also_found(mut value: Value) -> Result<Vec<AlsoFound>, Refusal> {
    for entry in value.as_array_mut().into_iter().flatten() {
        if let Some(fields) = entry.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
    }
    let expected = also_found_shape();
    let mut mismatches = expected.mismatches(&value);
    for mismatch in &mut mismatches {
        mismatch.path.insert_str(0, ALSO_FOUND);
    }
    if mismatches.is_empty() {
        // The value has just been checked against the shape.
        return Ok(serde_json::from_value(value).unwrap_or_default());
    }
    Err(Refusal::ResultMismatch { mismatches, expected })
}

/// Puts other problems back into a result, as the agent returned it.
pub(super) fn with_also_found(result: Option<Value>, found: &[AlsoFound]) -> Option<Value> {
    if found.is_empty() {
        return result;
    }
    let mut joined = result.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    joined[ALSO_FOUND] = serde_json::json!(found);
    Some(joined)
}
