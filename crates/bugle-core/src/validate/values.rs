//! Rules about types: every declared type has values, every default is one, every param is used.

use std::collections::BTreeSet;

use super::{Problem, Rule, Subject};
use crate::shape::{Field, Length, MOST_LENGTH, Presence, Range, Shape};
use crate::workflow::FanOut;

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    for arg in &subject.definition.params {
        let path = format!("params.{}", arg.name);
        let mut ill = |path: String, message: String, fix: &str| {
            out.push(subject.problem(Rule::IllTypedParam, path, message, fix));
        };
        if !seen.insert(&arg.name) {
            ill(
                path.clone(),
                format!("param `{}` is declared twice", arg.name),
                "remove one",
            );
        }
        for flaw in flaws(&arg.shape) {
            ill(
                path.clone(),
                format!("param `{}`: {flaw}", arg.name),
                "write a type that some value can have",
            );
        }
        if let Some(default) = &arg.default {
            for mismatch in arg.shape.mismatches(default) {
                let message = format!(
                    "the default of param `{}` does not fit its type: expected {}, found {}",
                    arg.name, mismatch.expected, mismatch.found
                );
                ill(format!("{path}.default"), message, "choose a default that fits");
            }
            if arg.presence == Presence::Required {
                ill(
                    format!("{path}.default"),
                    format!(
                        "param `{}` is required, so its default can never be used",
                        arg.name
                    ),
                    "remove `default`, or `required: true`",
                );
            }
        }
    }
    for step in &subject.definition.steps {
        let mut names = BTreeSet::new();
        for field in &step.result {
            if !names.insert(&field.name) {
                out.push(subject.problem(
                    Rule::IllTypedResult,
                    format!("steps.{}.result.{}", step.id, field.name),
                    format!("result `{}` is declared twice", field.name),
                    "remove one",
                ));
            }
            for flaw in flaws(&field.shape) {
                out.push(subject.problem(
                    Rule::IllTypedResult,
                    format!("steps.{}.result.{}", step.id, field.name),
                    format!("result `{}`: {flaw}", field.name),
                    "write a type that some value can have",
                ));
            }
        }
    }
}

/// What keeps a type from having values.
fn flaws(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::String(length) => length_flaw(*length).into_iter().collect(),
        Shape::Number(range) => range_flaw(*range).into_iter().collect(),
        Shape::Integer(range) => {
            let none = || "no whole number lies between its bounds".to_owned();
            range_flaw(*range)
                .or_else(|| range.whole_inside().is_none().then(none))
                .into_iter()
                .collect()
        }
        Shape::Boolean => Vec::new(),
        Shape::Enum(choices) => {
            let distinct: BTreeSet<_> = choices.iter().collect();
            if choices.is_empty() {
                vec!["an enum needs `choices`".to_owned()]
            } else if distinct.len() < choices.len() {
                vec!["a choice stands twice".to_owned()]
            } else {
                Vec::new()
            }
        }
        Shape::Array { items, length } => flaws(items).into_iter().chain(length_flaw(*length)).collect(),
        Shape::Object(fields) => {
            let inner = fields.iter().flat_map(|Field { shape, .. }| flaws(shape));
            let empty = fields.is_empty().then(|| "an object needs `fields`".to_owned());
            inner.chain(empty).collect()
        }
    }
}

fn length_flaw(length: Length) -> Option<String> {
    match (length.min, length.max) {
        (Some(min), _) if min > MOST_LENGTH => Some(format!("min {min} is more than anyone would write")),
        (Some(min), Some(max)) if min > max => Some(format!("min {min} is above max {max}")),
        _ => None,
    }
}

fn range_flaw(range: Range) -> Option<String> {
    match (range.min, range.max) {
        (Some(min), Some(max)) if min > max => Some(format!("min {min} is above max {max}")),
        _ => None,
    }
}

/// Warns of params that nothing reads.
pub(super) fn check_use(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut note = |path: &str| {
        if let Some(rest) = path.strip_prefix("params.") {
            used.insert(rest.split('.').next().unwrap_or(rest).to_owned());
        }
    };
    for step in &subject.definition.steps {
        for (_, source) in super::texts::templates_of(subject, step) {
            // A template that does not parse is reported where it stands.
            for name in subject.templates.references(source).unwrap_or_default() {
                note(&name);
            }
        }
        for source in super::commands::sources(step) {
            for name in subject.templates.references(&source).unwrap_or_default() {
                note(&name);
            }
        }
        for (_, expression) in super::guards::expressions_of(step) {
            for path in expression.paths() {
                note(&path.to_string());
            }
        }
        if let Some(FanOut::ForEach { list, .. }) = step.dispatch.as_ref().map(|dispatch| &dispatch.fan_out) {
            for path in list.paths() {
                note(&path.to_string());
            }
        }
    }
    for arg in &subject.definition.params {
        if !used.contains(arg.name.as_str()) {
            out.push(subject.problem(
                Rule::UnusedParam,
                format!("params.{}", arg.name),
                format!("param `{}` is used by no text and no guard", arg.name),
                "use it, or remove it",
            ));
        }
    }
}
