//! Lists that Bugle keeps across a step's visits. A later visit returns only new, changed or removed items, and Bugle
//! merges them into the earlier result.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::command::{Command, Report};
use super::merged::Merged;
use super::refusal::Refusal;
use super::result::{checked_result, split_also_found, without_nulls};
use super::state::RunState;
use super::visit::Visit;
use crate::id::VisitNumber;
use crate::name::FieldName;
use crate::shape::{Field, Length, Mismatch, Presence, Shape, Unique};
use crate::workflow::{REMOVED, StepDef, Workflow};

/// The type of what a step's agent returns: at a later visit, merged lists may be absent or short.
pub fn returned_shape(step: &StepDef, before: Option<&Value>) -> Shape {
    let later = |field: &Field| match step.merge.get(&field.name) {
        Some(key) if before.is_some() => Field {
            presence: Presence::Optional,
            shape: match &field.shape {
                Shape::Array { items, length, .. } => Shape::Array {
                    items: items.clone(),
                    length: Length {
                        min: None,
                        max: length.max,
                    },
                    unique: Some(Unique::Field(key.clone())),
                },
                other => other.clone(),
            },
            ..field.clone()
        },
        _ => field.clone(),
    };
    Shape::Object(step.result.iter().map(later).collect())
}

/// The result that a command's visit would have, merged into the step's earlier result. `None` if the command does not
/// return a result. The engine refuses a result that cannot be merged, so such a result is returned unmerged.
pub fn merged_result(state: &RunState, workflow: &Workflow, command: &Command<'_>) -> Option<Value> {
    let Command::Done {
        visit,
        report: Report::Done(returned),
        ..
    } = command
    else {
        return None;
    };
    let open = state.visit(*visit);
    let Some((open, step)) = open.and_then(|open| Some((open, workflow.step(&open.step)?))) else {
        return returned.clone();
    };
    match split_also_found(step, returned.clone()) {
        Ok((result, _)) => accepted(state, step, open, result.clone()).map_or(result, |(result, _)| result),
        Err(_) => returned.clone(),
    }
}

/// Checks what an agent returned, and merges it into the step's earlier result.
pub(super) fn accepted(
    state: &RunState,
    step: &StepDef,
    visit: &Visit,
    returned: Option<Value>,
) -> Result<(Option<Value>, Option<Box<Merged>>), Refusal> {
    let before = (!step.merge.is_empty()).then(|| earlier(state, step, visit));
    match before.flatten() {
        Some(before) => {
            let nothing = || json!({});
            let is_missing = returned.is_none();
            let merged = merge(step, visit.number, before, returned.unwrap_or_else(nothing));
            match merged {
                Err(Refusal::ResultMismatch { expected, .. }) if is_missing => {
                    Err(Refusal::ResultMissing(expected))
                }
                merged => merged.map(|(result, merged)| (Some(result), Some(Box::new(merged)))),
            }
        }
        None => Ok((checked_result(step, returned)?, None)),
    }
}

/// The earlier visit with the step's latest result.
fn earlier<'a>(state: &'a RunState, step: &StepDef, visit: &Visit) -> Option<&'a Visit> {
    let has_result = |earlier: &&Visit| {
        let ending = earlier.ending.as_ref();
        earlier.step == step.id && ending.is_some_and(|ending| ending.result.is_some())
    };
    state.lineage(visit.number).skip(1).find(has_result)
}

fn merge(
    step: &StepDef,
    number: VisitNumber,
    before: &Visit,
    returned: Value,
) -> Result<(Value, Merged), Refusal> {
    let empty = Value::Null;
    let ending = before.ending.as_ref();
    let known = ending.and_then(|ending| ending.result.as_ref()).unwrap_or(&empty);
    let expected = returned_shape(step, Some(known));
    let (filled, mut mismatches) = fill_removed(step, known, &returned);
    if mismatches.is_empty() {
        mismatches = expected.mismatches(&filled);
    }
    if !mismatches.is_empty() {
        return Err(Refusal::ResultMismatch { mismatches, expected });
    }
    let returned = without_nulls(returned);
    let mut result = returned.clone();
    let mut changed = BTreeMap::new();
    for (field, key) in &step.merge {
        let mut versions = changes_of(before, field, key);
        if let Some(items) = merged_list(known, &returned, (field, key), (number, &mut versions)) {
            result[field.as_str()] = items;
        }
        changed.insert(field.clone(), versions);
    }
    let whole = Shape::Object(step.result.clone());
    let mismatches = whole.mismatches(&result);
    if mismatches.is_empty() {
        Ok((result, Merged { returned, changed }))
    } else {
        let after_merge = |mismatch: Mismatch| Mismatch {
            message: format!("after the merge: {}", mismatch.message),
            ..mismatch
        };
        Err(Refusal::ResultMismatch {
            mismatches: mismatches.into_iter().map(after_merge).collect(),
            expected,
        })
    }
}

/// What the agent returned, with each removed item in full, so that it can be checked like every other item. The
/// mismatches are removals that name no earlier item.
fn fill_removed(step: &StepDef, known: &Value, returned: &Value) -> (Value, Vec<Mismatch>) {
    let mut filled = returned.clone();
    let mut mismatches = Vec::new();
    for (field, key) in &step.merge {
        let items = filled.get_mut(field.as_str()).and_then(Value::as_array_mut);
        for (index, item) in items.into_iter().flatten().enumerate() {
            if !is_removal(item) {
                continue;
            }
            let mut wrong = |message: String| {
                mismatches.push(Mismatch {
                    path: format!("{field}[{index}]"),
                    message,
                });
            };
            let only_key = item.as_object().is_some_and(|fields| {
                let mut names = fields.keys();
                names.all(|name| name == key.as_str() || name == REMOVED)
            });
            if !only_key {
                wrong(format!("to remove an item, return only `{key}` and `{REMOVED}`"));
            }
            if let Some(earlier) = find(known, field, key, item) {
                *item = earlier.clone();
            } else {
                let wanted = item.get(key.as_str()).unwrap_or(&Value::Null);
                wrong(format!("cannot remove {wanted}: the list has no such item"));
            }
        }
    }
    (filled, mismatches)
}

fn is_removal(item: &Value) -> bool {
    item.get(REMOVED) == Some(&Value::Bool(true))
}

/// The earlier item with the same key.
fn find<'a>(known: &'a Value, field: &FieldName, key: &FieldName, item: &Value) -> Option<&'a Value> {
    let wanted = key_of(item, key)?;
    let items = known.get(field.as_str())?.as_array()?;
    items
        .iter()
        .find(|earlier| key_of(earlier, key).as_ref() == Some(&wanted))
}

fn key_of(item: &Value, key: &FieldName) -> Option<String> {
    item.get(key.as_str()).map(crate::shape::unique_key)
}

/// The merged list: earlier items in their order, with changes in place, then new items. `None` if there is no list.
fn merged_list(
    known: &Value,
    returned: &Value,
    (field, key): (&FieldName, &FieldName),
    (number, versions): (VisitNumber, &mut BTreeMap<String, VisitNumber>),
) -> Option<Value> {
    let list = |value: &Value| value.get(field.as_str()).and_then(Value::as_array).cloned();
    let (earlier, returned) = (list(known), list(returned));
    if earlier.is_none() && returned.is_none() {
        return None;
    }
    let mut items = earlier.unwrap_or_default();
    for item in returned.unwrap_or_default() {
        let Some(name) = key_of(&item, key) else { continue };
        let index = items
            .iter()
            .position(|other| key_of(other, key).as_ref() == Some(&name));
        match index {
            Some(index) if is_removal(&item) => {
                items.remove(index);
                versions.remove(&name);
            }
            Some(index) if items[index] != item => {
                items[index] = item;
                versions.insert(name, number);
            }
            Some(_) => {}
            None => {
                items.push(item);
                versions.insert(name, number);
            }
        }
    }
    Some(Value::Array(items))
}

/// The visit that last added or changed each item of a list, by key.
fn changes_of(visit: &Visit, field: &FieldName, key: &FieldName) -> BTreeMap<String, VisitNumber> {
    let ending = visit.ending.as_ref();
    let recorded = ending.and_then(|ending| ending.merged.as_ref()?.changed.get(field));
    if let Some(recorded) = recorded {
        return recorded.clone();
    }
    let items = ending.and_then(|ending| ending.result.as_ref()?.get(field.as_str())?.as_array());
    let items = items.into_iter().flatten();
    items
        .filter_map(|item| Some((key_of(item, key)?, visit.number)))
        .collect()
}

/// For each step with merged lists, the items that changed since the previous visit of the step at `at`, or all items
/// if that step was not visited before or `since` is `None`.
pub(super) fn changed_values(
    state: &RunState,
    workflow: &Workflow,
    at: VisitNumber,
    since: Option<VisitNumber>,
) -> Map<String, Value> {
    let mut values = Map::new();
    for step in workflow.steps().iter().filter(|step| !step.merge.is_empty()) {
        let has_result = |visit: &&Visit| {
            let ending = visit.ending.as_ref();
            visit.step == step.id && ending.is_some_and(|ending| ending.result.is_some())
        };
        let Some(latest) = state.lineage(at).skip(1).find(has_result) else {
            continue;
        };
        let lists = step.merge.iter().filter_map(|(field, key)| {
            let result = latest.ending.as_ref()?.result.as_ref()?;
            let items = result.get(field.as_str())?.as_array()?;
            let versions = changes_of(latest, field, key);
            let is_new = |item: &&Value| {
                let changed = key_of(item, key).and_then(|name| versions.get(&name).copied());
                since.is_none_or(|since| changed.is_none_or(|changed| changed >= since))
            };
            let items = items.iter().filter(is_new).cloned().collect();
            Some((field.to_string(), Value::Array(items)))
        });
        values.insert(step.id.to_string(), lists.collect());
    }
    values
}
