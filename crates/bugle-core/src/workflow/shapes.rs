//! Shapes that all workflows share: a task, the record of a task, the result of a sub-agent.

use super::StepDef;
use crate::name::FieldName;
use crate::review::findings_shape;
use crate::shape::{Field, Length, Presence, Shape};

/// The shape of a task in guards, templates and sub-agents' params.
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

/// The shape of one entry in the record of tasks.
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

/// The required result of each sub-agent of a step without a workflow: the one that the step declares, or else a
/// report.
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
                "the checks you made, one short name each; every finding's category is one of them",
            ),
            (
                "findings",
                findings_shape(),
                "your findings; an empty list if there are none",
            ),
        ]
    } else {
        vec![("report", text(), "what you did or found, in full")]
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

/// An object with these fields, all required.
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
