//! Rules about types: every declared type has valid values, defaults fit their types, and params are used.

use std::collections::BTreeSet;

use super::{Problem, Rule, Subject};
use crate::count::counted;
use crate::did_you_mean::nearest;
use crate::shape::{Field, Length, MAX_LENGTH, Presence, Range, Reference, Shape, Unique, has_stray_quote};
use crate::workflow::FanOut;

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let mut seen = BTreeSet::new();
    let mut flawed = Vec::new();
    for arg in &subject.definition.params {
        let path = format!("params.{}", arg.name);
        let mut ill = |path: String, message: String, fix: &str| {
            out.push(subject.problem(Rule::IllTypedParam, path, message, fix));
        };
        if !seen.insert(&arg.name) {
            ill(
                path.clone(),
                format!("param `{}` is declared twice", arg.name),
                "remove one of the declarations",
            );
        }
        for flaw in flaws(&arg.shape) {
            let message = format!("param `{}`: {}", arg.name, flaw.message);
            flawed.push(subject.problem(
                flaw.rule.unwrap_or(Rule::IllTypedParam),
                path.clone(),
                message,
                flaw.fix,
            ));
        }
        if let Some(default) = &arg.default {
            for mismatch in arg.shape.mismatches(default) {
                let message = format!(
                    "the default of param `{}` does not match the param's type: {}",
                    arg.name, mismatch.message
                );
                ill(
                    format!("{path}.default"),
                    message,
                    "change the default or the type",
                );
            }
            if arg.presence == Presence::Required {
                ill(
                    format!("{path}.default"),
                    format!("param `{}` is required, so its default is never used", arg.name),
                    "remove `default` or `required: true`",
                );
            }
        }
    }
    out.append(&mut flawed);
    for step in &subject.definition.steps {
        let mut names = BTreeSet::new();
        if has_stray_quote(&step.result) {
            let Flaw { message, fix, .. } = stray_quote();
            let path = format!("steps.{}.result", step.id);
            out.push(subject.problem(Rule::BadQuote, path, message, fix));
        }
        for field in &step.result {
            if !names.insert(&field.name) {
                out.push(subject.problem(
                    Rule::IllTypedResult,
                    format!("steps.{}.result.{}", step.id, field.name),
                    format!("result `{}` is declared twice", field.name),
                    "remove one of the declarations",
                ));
            }
            for flaw in flaws(&field.shape) {
                out.push(subject.problem(
                    flaw.rule.unwrap_or(Rule::IllTypedResult),
                    format!("steps.{}.result.{}", step.id, field.name),
                    format!("result `{}`: {}", field.name, flaw.message),
                    flaw.fix,
                ));
            }
        }
    }
}

/// A reason why a type has no valid values.
struct Flaw {
    /// The broken rule; `None` means the types rule.
    rule: Option<Rule>,
    message: String,
    fix: &'static str,
}

impl From<String> for Flaw {
    fn from(message: String) -> Self {
        Self {
            rule: None,
            message,
            fix: "correct the type's declaration",
        }
    }
}

/// The reasons why a type has no valid values.
fn flaws(shape: &Shape) -> Vec<Flaw> {
    match shape {
        Shape::String(length) => length_flaw(*length).map(Flaw::from).into_iter().collect(),
        Shape::Pattern(pattern, length) => {
            let unmatched = || {
                let none = pattern.samples(*length, 1).is_empty();
                none.then(|| Flaw {
                    rule: Some(Rule::BadPattern),
                    message: format!(
                        "found no string of the allowed length that matches `{}`",
                        pattern.as_str()
                    ),
                    fix: "simplify the pattern or change the bounds: Bugle must be able to generate a sample",
                })
            };
            let too_long = length_flaw(*length).map(Flaw::from);
            too_long.or_else(unmatched).into_iter().collect()
        }
        Shape::Number(range) => range_flaw(*range).map(Flaw::from).into_iter().collect(),
        Shape::Integer(range) => {
            let none = || "the bounds contain no integer".to_owned();
            range_flaw(*range)
                .or_else(|| range.whole_inside().is_none().then(none))
                .map(Flaw::from)
                .into_iter()
                .collect()
        }
        Shape::Boolean | Shape::Reference(_) => Vec::new(),
        Shape::Enum(choices) => {
            let distinct: BTreeSet<_> = choices.iter().collect();
            if choices.is_empty() {
                vec!["an enum needs `choices`".to_owned().into()]
            } else if distinct.len() < choices.len() {
                vec!["the same choice is listed twice".to_owned().into()]
            } else {
                Vec::new()
            }
        }
        Shape::Array { items, length, .. } => {
            let mut found = flaws(items);
            found.extend((**items == Shape::Reference(Reference::Quote)).then(stray_quote));
            found.extend(length_flaw(*length).map(Flaw::from));
            if found.is_empty() {
                found.extend(unique_flaw(shape));
            }
            found
        }
        Shape::Object(fields) => {
            let inner = fields.iter().flat_map(|Field { shape, .. }| flaws(shape));
            let empty = fields
                .is_empty()
                .then(|| Flaw::from("an object needs `fields`".to_owned()));
            let stray = has_stray_quote(fields).then(stray_quote);
            inner.chain(empty).chain(stray).collect()
        }
    }
}

/// A quote whose file is unknown.
fn stray_quote() -> Flaw {
    Flaw {
        rule: Some(Rule::BadQuote),
        message: "a `quote` needs exactly one `place` in the same object".to_owned(),
        fix: "put the quote in an object with its place: `{ at: place, text: quote }`",
    }
}

/// Why a list's items cannot be compared.
fn unique_flaw(list: &Shape) -> Option<Flaw> {
    let Shape::Array {
        items,
        length,
        unique: Some(unique),
    } = list
    else {
        return None;
    };
    let flaw = |message: String, fix: &'static str| {
        Some(Flaw {
            rule: Some(Rule::BadUnique),
            message,
            fix,
        })
    };
    let is_plain = |shape: &Shape| !matches!(shape, Shape::Array { .. } | Shape::Object(_));
    match (unique, &**items) {
        (Unique::Items, Shape::Object(_)) => {
            return flaw(
                "`unique: true` works only for lists of plain values".to_owned(),
                "name the field to compare: `unique: id`",
            );
        }
        (Unique::Items, items) if is_plain(items) => {}
        (Unique::Field(name), Shape::Object(fields)) => {
            let Some(field) = fields.iter().find(|field| field.name == *name) else {
                let known = fields.iter().map(|field| field.name.as_str());
                let meant = nearest(name.as_str(), known)
                    .map_or_else(String::new, |close| format!(": did you mean `{close}`?"));
                return flaw(
                    format!("the items have no field `{name}`{meant}"),
                    "use one of the items' fields",
                );
            };
            if field.presence == Presence::Optional || !is_plain(&field.shape) {
                return flaw(
                    format!("`{name}` cannot identify items: the field is optional or not a plain value"),
                    "use a required field that is text, a number or a choice",
                );
            }
        }
        _ => {
            return flaw(
                "`unique` with a field needs a list of objects; `unique: true` needs a list of plain values"
                    .to_owned(),
                "write `unique: true`, or remove `unique`",
            );
        }
    }
    let wanted = length.min.unwrap_or(0);
    let found = list.example_items(wanted).len();
    if found < wanted {
        return flaw(
            format!(
                "the list needs {}, but the item type has only {}",
                counted(wanted, "different item"),
                counted(found, "value")
            ),
            "lower `min`, or allow more values",
        );
    }
    None
}

fn length_flaw(length: Length) -> Option<String> {
    match (length.min, length.max) {
        (Some(min), _) if min > MAX_LENGTH => Some(format!("`min` is {min}; the limit is {MAX_LENGTH}")),
        (Some(min), Some(max)) if min > max => Some(format!("`min` ({min}) is greater than `max` ({max})")),
        _ => None,
    }
}

fn range_flaw(range: Range) -> Option<String> {
    match (range.min, range.max) {
        (Some(min), Some(max)) if min > max => Some(format!("`min` ({min}) is greater than `max` ({max})")),
        _ => None,
    }
}

/// Warns about unused params.
pub(super) fn check_use(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    let mut note = |path: &str| {
        if let Some(rest) = path.strip_prefix("params.") {
            used.insert(rest.split('.').next().unwrap_or(rest).to_owned());
        }
    };
    for step in &subject.definition.steps {
        for (_, source) in super::texts::templates_of(subject, step) {
            // Another rule reports templates that do not parse.
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
                format!("no text or guard uses param `{}`", arg.name),
                "use the param, or remove it",
            ));
        }
    }
}
