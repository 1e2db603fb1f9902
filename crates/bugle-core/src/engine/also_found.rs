//! Problems outside a step's work. Any step may report them with its result, without declaring a field for them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::refusal::Refusal;
use crate::name::FieldName;
use crate::review::Severity;
use crate::shape::{Field, Length, Presence, Shape};
use crate::workflow::StepDef;

/// The result field with the problems.
pub const ALSO_FOUND: &str = "also_found";

/// A problem that an agent noticed but that is not part of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoFound {
    /// The problem.
    pub what: String,
    /// The location, such as `src/cache.rs:42`.
    pub place: String,
    /// The severity, if the agent gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

/// The shape of the `also_found` field.
pub fn also_found_shape() -> Shape {
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
pub(super) fn split(
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
        Some(value) => read(value)?,
    };
    // A step without a result may return only other problems.
    let is_nothing = fields.is_empty() && step.result.is_empty();
    Ok(((!is_nothing).then_some(Value::Object(fields)), found))
}

fn read(mut value: Value) -> Result<Vec<AlsoFound>, Refusal> {
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
pub(super) fn joined(result: Option<Value>, found: &[AlsoFound]) -> Option<Value> {
    if found.is_empty() {
        return result;
    }
    let mut joined = result.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
    joined[ALSO_FOUND] = serde_json::json!(found);
    Some(joined)
}
