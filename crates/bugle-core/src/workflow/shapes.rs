//! Shapes shared by all workflows: a task, a task record, a sub-agent's result.

use std::collections::BTreeMap;

use super::StepDef;
use crate::name::FieldName;
use crate::review::findings_shape;
use crate::shape::{Field, Length, Presence, Shape, Unique};

/// The field that removes an item from a merged list.
pub const REMOVED: &str = "removed";

/// Makes the items of each merged list unique by the field that identifies an item.
#[must_use]
pub fn with_identified_items(mut result: Vec<Field>, merge: &BTreeMap<FieldName, FieldName>) -> Vec<Field> {
    for field in &mut result {
        if let (Some(key), Shape::Array { unique, .. }) = (merge.get(&field.name), &mut field.shape) {
            *unique = Some(Unique::Field(key.clone()));
        }
    }
    result
}

/// The shape of a task in guards, templates and sub-agent params.
pub fn task_shape() -> Shape {
    let text = || Shape::String(Length::default());
    let files = Shape::Array {
        items: Box::new(text()),
        length: Length::default(),
        unique: None,
    };
    object([
        ("id", text()),
        ("number", text()),
        ("title", text()),
        ("text", text()),
        ("skill", text()),
        ("files", files),
    ])
}

/// The shape of an entry in the task record.
pub fn record_shape() -> Shape {
    let text = || Shape::String(Length::default());
    let outcomes = ["done", "skipped", "failed", "blocked"]
        .map(str::to_owned)
        .to_vec();
    object([
        ("id", text()),
        ("number", text()),
        ("title", text()),
        ("outcome", Shape::Enum(outcomes)),
        ("why", text()),
    ])
}

/// The result that each sub-agent must return if it has no workflow: the step's declared result, or else a report.
pub fn sub_agent_result(step: &StepDef) -> Vec<Field> {
    if !step.result.is_empty() {
        return step.result.clone();
    }
    let text = || {
        Shape::String(Length {
            min: Some(1),
            max: None,
        })
    };
    let fields: Vec<(&str, Shape, &str)> = if step.gate.is_some() {
        let checks = Shape::Array {
            items: Box::new(text()),
            length: Length {
                min: Some(1),
                max: None,
            },
            unique: None,
        };
        vec![
            (
                "checks",
                checks,
                "the checks you performed, one short name each; use these names as finding categories",
            ),
            (
                "findings",
                findings_shape(),
                "your findings; an empty list if you found nothing",
            ),
        ]
    } else {
        vec![("report", text(), "a full report of what you did or found")]
    };
    let field = |(name, shape, help): (&str, Shape, &str)| {
        let name = FieldName::new(name).ok()?;
        Some(Field {
            name,
            shape,
            presence: Presence::Required,
            help: Some(help.to_owned()),
        })
    };
    fields.into_iter().filter_map(field).collect()
}

/// An object whose fields are all required.
fn object<const COUNT: usize>(fields: [(&str, Shape); COUNT]) -> Shape {
    let field = |(name, shape): (&str, Shape)| {
        let name = FieldName::new(name).ok()?;
        Some(Field {
            name,
            shape,
            presence: Presence::Required,
            help: None,
        })
    };
    Shape::Object(fields.into_iter().filter_map(field).collect())
}
