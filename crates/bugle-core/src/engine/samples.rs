//! Made-up results that pass the checks of their step, found by changing one thing after the other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::checks::failed;
use super::command::{Command, Report};
use super::event::Event;
use super::finish::guard_values;
use super::refusal::FailedCheck;
use super::state::{RunState, Visit};
use crate::expression::Type;
use crate::name::StepId;
use crate::shape::{Presence, Shape};
use crate::task::Board;
use crate::workflow::{StepDef, Workflow};

/// Long enough for every check that wants more than a word.
const SENTENCE: &str =
    "An example that says in a whole sentence what was done, where, and how that was seen.";
/// How many things are changed in one result.
const MOST_CHANGES: usize = 12;
/// How many texts from elsewhere are tried in each place.
const MOST_WORDS: usize = 12;

/// What was found out about the checks of a workflow's steps.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// What was made of a result that did not pass, by step and result.
    changed: BTreeMap<(StepId, String), Option<Value>>,
    /// Steps with a result that passed.
    passed: BTreeSet<StepId>,
    /// The fewest checks of a step that a result did not pass.
    refused: BTreeMap<StepId, Vec<FailedCheck>>,
}

impl Samples {
    /// The same command, with a result that passes the checks of its step where one can be found.
    pub(super) fn passing<'c>(
        &mut self,
        run: (&RunState, &Workflow, Option<&Board>),
        (step, visit): (&StepDef, &Visit),
        command: Command<'c>,
    ) -> Command<'c> {
        let Command::Done {
            visit: number,
            report: Report::Done(Some(result)),
            note,
        } = command
        else {
            return command;
        };
        let result = if step.check.is_empty() || step.dispatch.is_some() {
            result
        } else {
            let key = (step.id.clone(), result.to_string());
            let changed = self.changed.entry(key).or_insert_with(|| {
                let values = guard_values(run, (step, visit), Some(&result));
                changed(step, &result, values)
            });
            changed.clone().unwrap_or(result)
        };
        Command::Done {
            visit: number,
            report: Report::Done(Some(result)),
            note,
        }
    }

    /// A result did not pass.
    pub(super) fn refused(&mut self, step: &StepDef, failed: Vec<FailedCheck>) {
        let fewest = self
            .refused
            .entry(step.id.clone())
            .or_insert_with(|| failed.clone());
        if failed.len() < fewest.len() {
            *fewest = failed;
        }
    }

    /// A visit ended so.
    pub(super) fn accepted(&mut self, step: &StepDef, events: &[Event]) {
        let with_result = |event: &Event| matches!(event, Event::Ended { result: Some(_), .. });
        if !step.check.is_empty() && events.iter().any(with_result) {
            self.passed.insert(step.id.clone());
        }
    }

    /// The checks that no result passed, by step.
    pub(super) fn unmet(self) -> BTreeMap<StepId, Vec<FailedCheck>> {
        let Self {
            passed, mut refused, ..
        } = self;
        refused.retain(|step, _| !passed.contains(step));
        refused
    }
}

/// A result that passes, made from one that does not; `None` if it passes already, or none is found.
fn changed(step: &StepDef, result: &Value, mut values: Value) -> Option<Value> {
    let shape = Shape::Object(step.result.clone());
    let declared = Type::from_shape(&shape);
    let words = words(step, &values);
    let mut left = failed(step, &values).len();
    let mut best = result.clone();
    for _ in 0..MOST_CHANGES {
        if left == 0 {
            break;
        }
        let better = neighbours(&shape, &best, &words)
            .into_iter()
            .find_map(|candidate| {
                if !shape.mismatches(&candidate).is_empty() {
                    return None;
                }
                values["result"] = declared.conform(candidate.clone());
                let count = failed(step, &values).len();
                (count < left).then_some((candidate, count))
            });
        let (candidate, count) = better?;
        best = candidate;
        left = count;
    }
    (left == 0 && best != *result).then_some(best)
}

/// Texts and numbers that the checks speak of: written in them, or in what they read of the run.
fn words(step: &StepDef, values: &Value) -> Vec<Value> {
    let mut found = vec![Value::from(SENTENCE), Value::from("")];
    let mut add = |value: Value| {
        if found.len() < MOST_WORDS && !found.contains(&value) {
            found.push(value);
        }
    };
    for check in &step.check {
        for literal in check.that.literals() {
            if let Some(number) = literal.as_i64() {
                [number, number + 1, number - 1]
                    .into_iter()
                    .for_each(|number| add(Value::from(number)));
            } else if literal.is_string() {
                add(literal);
            }
        }
        for path in check.that.paths() {
            let value = path
                .segments
                .iter()
                .try_fold(values, |value, name| value.get(name));
            value.into_iter().flat_map(texts).for_each(&mut add);
        }
    }
    found
}

/// The texts inside a value.
fn texts(value: &Value) -> Vec<Value> {
    match value {
        Value::String(_) => vec![value.clone()],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(fields) => fields.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Values that differ from this one in one place; the items of a list all change alike.
fn neighbours(shape: &Shape, value: &Value, words: &[Value]) -> Vec<Value> {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(map)) => {
            let mut found = Vec::new();
            for field in fields {
                let name = field.name.as_str();
                let put = |inner: Option<Value>| {
                    let mut map = map.clone();
                    match inner {
                        Some(inner) => map.insert(name.to_owned(), inner),
                        None => map.remove(name),
                    };
                    Value::Object(map)
                };
                match map.get(name) {
                    Some(inner) => {
                        found.extend(
                            neighbours(&field.shape, inner, words)
                                .into_iter()
                                .map(|inner| put(Some(inner))),
                        );
                        if field.presence == Presence::Optional {
                            found.push(put(None));
                        }
                    }
                    None => found.push(put(Some(field.shape.example()))),
                }
            }
            found
        }
        (Shape::Array { items, .. }, Value::Array(list)) => {
            let lengths = [0, 1, 2, 3].map(|count| Value::Array(shape.example_items(count)));
            let mut found: Vec<Value> = Vec::new();
            let inner: Vec<Vec<Value>> = list.iter().map(|item| neighbours(items, item, words)).collect();
            let most = inner.iter().map(Vec::len).min().unwrap_or(0);
            found.extend(
                (0..most).map(|nth| Value::Array(inner.iter().map(|each| each[nth].clone()).collect())),
            );
            found.extend(lengths);
            found
        }
        (Shape::Boolean, Value::Bool(truth)) => vec![Value::Bool(!truth)],
        (Shape::Enum(choices), _) => choices.iter().cloned().map(Value::String).collect(),
        _ => words.to_vec(),
    }
}
