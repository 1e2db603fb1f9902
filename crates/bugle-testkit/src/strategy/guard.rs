//! Random guards over the values that a step can read.

use bugle_core::expression::Expression;
use bugle_core::shape::{Field, Length, Presence, Range, Shape};
use bugle_core::workflow::{StepDef, WorkflowDef};

use super::paths::Paths;
use super::plan::{Clause, GuardPlan};
use crate::spelling::{expression, quoted};

/// The values that guards may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guards {
    /// Every available value.
    OverAnything,
    /// Only the step's own result, and one value per guard.
    OverOwnResult,
}

/// A value that a guard can read.
#[derive(Debug, Clone)]
pub(super) struct Sight {
    /// The value's path.
    pub(super) path: String,
    pub(super) shape: Shape,
    /// Whether the value may be absent, so that a guard must check for it first.
    pub(super) doubtful: bool,
}

/// Builds a planned guard for the step at an index. There is always a value to read.
pub(super) fn guard(
    plan: &GuardPlan,
    definition: &WorkflowDef,
    paths: &Paths,
    at: usize,
    guards: Guards,
) -> Expression {
    let steerable = guards == Guards::OverOwnResult;
    let mut clauses: Vec<String> = Vec::new();
    let mut clause = |clause: &Clause| {
        let options = questions(definition, paths, at, guards);
        let (sight, conditions) = &options[clause.value.index(options.len())];
        let asked = clause.condition.get(conditions);
        let asked = if sight.doubtful {
            format!("has({}) && ({asked})", sight.path)
        } else {
            asked.clone()
        };
        clauses.push(if clause.negated {
            format!("!({asked})")
        } else {
            format!("({asked})")
        });
    };
    clause(&plan.first);
    let mut joint = " || ";
    if let Some((both, second)) = plan.second.as_ref().filter(|_| !steerable) {
        clause(second);
        joint = if *both { " && " } else { " || " };
    }
    expression(&clauses.join(joint))
}

/// All available values, each with its possible conditions.
fn questions(
    definition: &WorkflowDef,
    paths: &Paths,
    at: usize,
    guards: Guards,
) -> Vec<(Sight, Vec<String>)> {
    let mut sights = own(&definition.steps[at]);
    if guards == Guards::OverAnything {
        sights.extend(around(definition, paths, at));
        sights.push(Sight {
            path: "visit.iteration".to_owned(),
            shape: Shape::Integer(Range {
                min: Some(1.0),
                max: None,
            }),
            doubtful: false,
        });
    }
    let mut found = Vec::new();
    for sight in sights {
        let conditions = match guards {
            Guards::OverOwnResult => decidable(&sight.shape, &sight.path),
            Guards::OverAnything => conditions(&sight.shape, &sight.path),
        };
        if !conditions.is_empty() {
            found.push((sight, conditions));
        }
    }
    found
}

/// The step's own result.
fn own(step: &StepDef) -> Vec<Sight> {
    let fields = step
        .result
        .iter()
        .flat_map(|field| inside("result", field, false));
    fields.chain(answer(step, "result", false)).collect()
}

/// The values available before the step has a result: params and the results of other steps.
pub(super) fn around(definition: &WorkflowDef, paths: &Paths, at: usize) -> Vec<Sight> {
    let mut found = Vec::new();
    for arg in &definition.params {
        let doubtful = arg.presence == Presence::Optional && arg.default.is_none();
        let field = Field {
            name: arg.name.clone(),
            shape: arg.shape.clone(),
            presence: Presence::Required,
            help: None,
        };
        found.extend(inside("params", &field, doubtful));
    }
    for (earlier, step) in definition.steps.iter().enumerate() {
        if !paths.leads_to(earlier, at) {
            continue;
        }
        let doubtful = !paths.surely_brings(earlier, at);
        let place = format!("state.{}", step.id);
        if step.dispatch.is_some() {
            // The sub-agents' results are unknown, but their number is known.
            found.push(Sight {
                path: format!("{place}.finished"),
                shape: Shape::Integer(Range {
                    min: Some(0.0),
                    max: None,
                }),
                doubtful,
            });
            continue;
        }
        for field in &step.result {
            found.extend(inside(&place, field, doubtful));
        }
        found.extend(answer(step, &place, doubtful));
    }
    found
}

fn answer(step: &StepDef, place: &str, doubtful: bool) -> Option<Sight> {
    let ask = step.ask.as_ref()?;
    Some(Sight {
        path: format!("{place}.answer"),
        shape: if ask.choices.is_empty() {
            Shape::text()
        } else {
            Shape::Enum(ask.choices.clone())
        },
        doubtful,
    })
}

/// A field, or its nested fields.
fn inside(place: &str, field: &Field, doubtful: bool) -> Vec<Sight> {
    let path = format!("{place}.{}", field.name);
    let doubtful = doubtful || field.presence == Presence::Optional;
    match &field.shape {
        Shape::Object(fields) => fields
            .iter()
            .flat_map(|field| inside(&path, field, doubtful))
            .collect(),
        shape => vec![Sight {
            path,
            shape: shape.clone(),
            doubtful,
        }],
    }
}

/// Conditions for a type. Their evaluation never fails.
fn conditions(shape: &Shape, path: &str) -> Vec<String> {
    match shape {
        Shape::String(_) => vec![
            format!("size({path}) > 3"),
            format!("{path}.startsWith(\"a\")"),
            format!("{path} == \"go\""),
            format!("{path}.contains('\\n')"),
        ],
        Shape::Reference(_) => vec![format!("{path} != \"go\"")],
        Shape::Pattern(..) => vec![format!("{path}.matches('[ae]')"), format!("{path} != \"go\"")],
        Shape::Integer(_) => vec![
            format!("{path} > 1"),
            format!("{path} % 2 == 0"),
            format!("{path} in [0, 1, 2, -1]"),
        ],
        Shape::Number(_) => vec![
            format!("{path} >= 0.5"),
            format!("{path} * 2.0 < 3.0"),
            format!("{path} != 1"),
        ],
        Shape::Boolean => vec![path.to_owned(), format!("{path} == false")],
        Shape::Enum(choices) => {
            let listed: Vec<String> = choices.iter().skip(1).map(|choice| quoted(choice)).collect();
            let first = choices.first().map_or(String::new(), |choice| quoted(choice));
            vec![
                format!("{path} == {first}"),
                format!("{path} in [{}]", listed.join(", ")),
                format!("{path} != {first} || size({path}) > 5"),
            ]
        }
        Shape::Array { items, .. } => {
            let mut found = vec![format!("size({path}) > 1"), format!("{path} == []")];
            for condition in conditions(items, "item") {
                found.push(format!("{path}.exists(item, {condition})"));
                found.push(format!("size({path}.filter(item, {condition})) >= 1"));
            }
            found
        }
        // An object's fields are listed one by one.
        Shape::Object(_) => Vec::new(),
    }
}

/// Conditions that are true for some random values and false for others.
fn decidable(shape: &Shape, path: &str) -> Vec<String> {
    match shape {
        Shape::String(length) => {
            let count = 2.max(length.min.unwrap_or(0)).min(length.max.unwrap_or(2));
            vec![format!("{path} == {}", quoted(&"g".repeat(count)))]
        }
        Shape::Integer(range) | Shape::Number(range) => {
            let low = range.min.or(range.max.map(|max| max - 1.0)).unwrap_or(0.0);
            if low >= 0.0 {
                vec![format!("{path} > {low}")]
            } else {
                Vec::new()
            }
        }
        Shape::Boolean => vec![path.to_owned()],
        Shape::Enum(choices) => choices
            .iter()
            .map(|choice| format!("{path} == {}", quoted(choice)))
            .collect(),
        Shape::Array { length, .. } => {
            let Length { min, max } = *length;
            let more = [2, 5]
                .into_iter()
                .any(|count| count > min.unwrap_or(0) && max.is_none_or(|max| count <= max));
            if more {
                vec![format!("size({path}) > {}", min.unwrap_or(0))]
            } else {
                Vec::new()
            }
        }
        Shape::Pattern(..) | Shape::Reference(_) | Shape::Object(_) => Vec::new(),
    }
}
