//! Shapes that every workflow shares: a task, the record of a task, the result of a sub-agent.

use super::StepDef;
use crate::name::FieldName;
use crate::review::findings_shape;
use crate::shape::{Field, Length, Presence, Shape};

/// The shape of a task as guards, templates and sub-agents see it.
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

/// The shape of one entry of the record of what became of each task.
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

/// The result that each sub-agent of a step without a workflow must return: the one the step declares, else a report.
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
                "what was checked, one short name each; the category of a finding is one of them",
            ),
            (
                "findings",
                findings_shape(),
                "what was found; an empty list if nothing was",
            ),
        ]
    } else {
        vec![("report", text(), "what was done or found, whole")]
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

/// An object with these fields, all of which it must have.
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
