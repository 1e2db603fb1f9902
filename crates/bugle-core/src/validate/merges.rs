//! Rules about merged lists: each is a list of objects with a field that identifies an item.

use super::{Problem, Rule, Subject};
use crate::did_you_mean::nearest;
use crate::name::FieldName;
use crate::shape::{Presence, Shape};
use crate::workflow::{REMOVED, StepDef};

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    for step in &subject.definition.steps {
        if let Some((message, fix)) = misplaced(step) {
            out.push(subject.problem(Rule::BadMerge, format!("steps.{}.merge", step.id), message, fix));
            continue;
        }
        for (field, key) in &step.merge {
            if let Some((message, fix)) = flaw(step, field, key) {
                let path = format!("steps.{}.merge.{field}", step.id);
                out.push(subject.problem(Rule::BadMerge, path, message, fix));
            }
        }
    }
}

/// Why a step cannot merge its result, and the fix.
fn misplaced(step: &StepDef) -> Option<(String, &'static str)> {
    let cannot = |why: &str| format!("step `{}` {why}, so it has no result to merge", step.id);
    if step.merge.is_empty() {
        None
    } else if step.dispatch.is_some() {
        let fix = "move `merge` to the step that returns the list, for example in the sub-agent's workflow";
        Some((cannot("dispatches sub-agents"), fix))
    } else if step.ask.is_some() {
        Some((cannot("asks a question"), "remove `merge`"))
    } else {
        None
    }
}

/// Why a list cannot be merged, and the fix.
fn flaw(step: &StepDef, field: &FieldName, key: &FieldName) -> Option<(String, String)> {
    let Some(declared) = step.result.iter().find(|declared| declared.name == *field) else {
        let known = step.result.iter().map(|field| field.name.as_str());
        let fix = match nearest(field.as_str(), known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("declare `{field}` in the step's `result`"),
        };
        return Some((format!("step `{}` has no result `{field}`", step.id), fix));
    };
    let items = match &declared.shape {
        Shape::Array { items, .. } => match &**items {
            Shape::Object(fields) => Some(fields),
            _ => None,
        },
        _ => None,
    };
    let Some(fields) = items else {
        return Some((
            format!("`{field}` is not a list of objects, so its items have no `{key}`"),
            "merge only lists of objects".to_owned(),
        ));
    };
    if fields.iter().any(|inner| inner.name.as_str() == REMOVED) {
        return Some((
            format!(
                "the items of `{field}` have a field `{REMOVED}`, which in a merged list removes an item"
            ),
            "rename the field".to_owned(),
        ));
    }
    let Some(inner) = fields.iter().find(|inner| inner.name == *key) else {
        let known = fields.iter().map(|inner| inner.name.as_str());
        let fix = match nearest(key.as_str(), known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "use one of the items' fields".to_owned(),
        };
        return Some((format!("the items of `{field}` have no field `{key}`"), fix));
    };
    let is_plain = !matches!(inner.shape, Shape::Array { .. } | Shape::Object(_));
    (inner.presence == Presence::Optional || !is_plain).then(|| {
        (
            format!("`{key}` cannot identify the items of `{field}`: it is optional or not a plain value"),
            "use a required field that is text, a number or a choice".to_owned(),
        )
    })
}
