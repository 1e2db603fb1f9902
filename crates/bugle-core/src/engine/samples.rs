//! Generates results that pass their step's checks, by changing one value at a time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::checks::failed;
use super::command::{Command, Report};
use super::event::Event;
use super::refusal::FailedCheck;
use super::state::RunState;
use super::visit::Visit;
use super::visit_outcome::guard_values;
use crate::expression::Type;
use crate::name::StepId;
use crate::shape::{Field, Presence, Shape, Unique};
use crate::task::Board;
use crate::workflow::{StepDef, Workflow};

/// A sentence that is long enough for any check that requires more than a word.
const SENTENCE: &str =
    "An example sentence that says what was done, where it was done, and how it was verified.";
/// Maximum number of changes to a result.
const MAX_CHANGES: usize = 12;
/// Maximum number of strings to try in each place.
const MAX_WORDS: usize = 12;

/// Facts about the checks of a workflow's steps, learned during a walk.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// The changed version of each failing result, keyed by step and result.
    changed: BTreeMap<(StepId, String), Option<Value>>,
    /// Steps with a passing result.
    passed: BTreeSet<StepId>,
    /// The smallest set of failed checks per step.
    refused: BTreeMap<StepId, Vec<FailedCheck>>,
}

impl Samples {
    /// The same command, with a result that passes the step's checks, if such a result can be found.
    pub(super) fn passing<'c>(
        &mut self,
        run: (&RunState, &Workflow, Option<&Board>),
        (step, visit): (&StepDef, &Visit),
        command: Command<'c>,
        steers: &dyn Fn(&str) -> bool,
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
                changed(step, &result, values, steers)
            });
            changed.clone().unwrap_or(result)
        };
        Command::Done {
            visit: number,
            report: Report::Done(Some(result)),
            note,
        }
    }

    /// Records a failing result.
    pub(super) fn refused(&mut self, step: &StepDef, failed: Vec<FailedCheck>) {
        let fewest = self
            .refused
            .entry(step.id.clone())
            .or_insert_with(|| failed.clone());
        if failed.len() < fewest.len() {
            *fewest = failed;
        }
    }

    /// Records a finished visit.
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

/// Changes a result until it passes the step's checks. `None` if the result already passes, or if no change helps.
/// Values for which `steers` is true are changed last, so that every branch gets a result.
fn changed(
    step: &StepDef,
    result: &Value,
    mut values: Value,
    steers: &dyn Fn(&str) -> bool,
) -> Option<Value> {
    let shape = Shape::Object(step.result.clone());
    let declared = Type::from_shape(&shape);
    let mut left = failed(step, &values).len();
    let mut best = result.clone();
    for _ in 0..MAX_CHANGES {
        if left == 0 {
            break;
        }
        let material = Material::of(step, &values);
        let mut candidates = Vec::new();
        for late in [false, true] {
            for field in step
                .result
                .iter()
                .filter(|field| steers(field.name.as_str()) == late)
            {
                candidates.extend(field_neighbours(field, &best, &material));
            }
        }
        let better = candidates.into_iter().find_map(|candidate| {
            if !shape.mismatches(&candidate).is_empty() {
                return None;
            }
            values["result"] = declared.conform(candidate.clone());
            let count = failed(step, &values).len();
            (count < left).then_some((candidate, count))
        });
        (best, left) = better?;
    }
    (left == 0 && best != *result).then_some(best)
}

/// The values that a step's checks mention or read.
#[derive(Debug, Default)]
struct Material {
    /// Strings and numbers.
    words: Vec<Value>,
    /// Columns: lists of strings, such as the ids in a list of objects.
    columns: Vec<Vec<Value>>,
}

impl Material {
    fn of(step: &StepDef, values: &Value) -> Self {
        let mut found = Self {
            words: vec![Value::from(SENTENCE), Value::from("")],
            columns: Vec::new(),
        };
        for check in &step.check {
            for literal in check.that.literals() {
                match literal.as_i64() {
                    Some(number) => [number, number + 1, number - 1]
                        .into_iter()
                        .for_each(|n| found.add(Value::from(n))),
                    None if literal.is_string() => found.add(literal),
                    None => {}
                }
            }
            for path in check.that.paths() {
                let value = path
                    .segments
                    .iter()
                    .try_fold(values, |value, name| value.get(name));
                found.read(value.unwrap_or(&Value::Null));
            }
        }
        found
    }

    fn add(&mut self, word: Value) {
        if self.words.len() < MAX_WORDS && !self.words.contains(&word) {
            self.words.push(word);
        }
    }

    fn read(&mut self, value: &Value) {
        match value {
            Value::String(_) => self.add(value.clone()),
            Value::Array(items) => {
                let names: BTreeSet<&String> = items
                    .iter()
                    .filter_map(Value::as_object)
                    .flat_map(Map::keys)
                    .collect();
                let of_field =
                    |name: &String| items.iter().filter_map(|item| item.get(name)).cloned().collect();
                let columns = names.into_iter().map(of_field).chain([items.clone()]);
                for column in columns.filter(|column: &Vec<Value>| column.iter().all(Value::is_string)) {
                    column.iter().take(3).for_each(|word| self.add(word.clone()));
                    if self.columns.len() < MAX_WORDS && !self.columns.contains(&column) {
                        self.columns.push(column);
                    }
                }
            }
            Value::Object(fields) => fields.values().for_each(|value| self.read(value)),
            _ => {}
        }
    }
}

/// Objects that differ from this object in one field.
fn field_neighbours(field: &Field, value: &Value, material: &Material) -> Vec<Value> {
    let name = field.name.as_str();
    let put = |inner: Option<Value>| {
        let mut map = value.as_object().cloned().unwrap_or_default();
        match inner {
            Some(inner) => map.insert(name.to_owned(), inner),
            None => map.remove(name),
        };
        Value::Object(map)
    };
    let Some(inner) = value.get(name) else {
        return vec![put(Some(field.shape.example()))];
    };
    let without = (field.presence == Presence::Optional).then(|| put(None));
    let others = neighbours(&field.shape, inner, material).into_iter();
    others.map(|inner| put(Some(inner))).chain(without).collect()
}

/// Values that differ from this value in one place. List items all change in the same way, or are replaced by the
/// strings of a column.
fn neighbours(shape: &Shape, value: &Value, material: &Material) -> Vec<Value> {
    match (shape, value) {
        (Shape::Object(fields), Value::Object(_)) => {
            let fields = fields.iter();
            fields
                .flat_map(|field| field_neighbours(field, value, material))
                .collect()
        }
        (Shape::Array { items, .. }, Value::Array(list)) => {
            let inner: Vec<Vec<Value>> = list
                .iter()
                .map(|item| neighbours(items, item, material))
                .collect();
            let most = inner.iter().map(Vec::len).min().unwrap_or(0);
            let alike = (0..most).map(|nth| inner.iter().map(|each| each[nth].clone()).collect());
            let lengths = [0, 1, 2, 3].map(|count| resized(shape, list, count));
            let filled = material
                .columns
                .iter()
                .flat_map(|column| filled(shape, items, column));
            alike.chain(lengths).chain(filled).map(Value::Array).collect()
        }
        (Shape::Boolean, Value::Bool(truth)) => vec![Value::Bool(!truth)],
        (Shape::Enum(choices), _) => choices.iter().cloned().map(Value::String).collect(),
        (_, Value::String(text)) => {
            let joined = material
                .words
                .iter()
                .filter_map(Value::as_str)
                .filter(|word| *word != SENTENCE);
            let joined = joined.flat_map(|word| [format!("{word}{text}"), format!("{text}{word}")]);
            let joined: Vec<Value> = joined.map(Value::String).collect();
            material.words.iter().cloned().chain(joined).collect()
        }
        _ => material.words.clone(),
    }
}

/// `count` copies of the list's first item, with different values where the shape requires unique values.
fn resized(shape: &Shape, list: &[Value], count: usize) -> Vec<Value> {
    let examples = shape.example_items(count);
    let (Shape::Array { unique, .. }, Some(first)) = (shape, list.first()) else {
        return examples;
    };
    let like_first = |example: Value| match unique {
        None => first.clone(),
        Some(Unique::Items) => example,
        Some(Unique::Field(name)) => {
            let mut item = first.clone();
            item[name.as_str()] = example[name.as_str()].clone();
            item
        }
    };
    examples.into_iter().map(like_first).collect()
}

/// Lists with one item for each of these strings, once for each field that can contain a string.
fn filled(list: &Shape, items: &Shape, column: &[Value]) -> Vec<Vec<Value>> {
    let Shape::Object(fields) = items else {
        return vec![column.to_vec()];
    };
    let examples = list.example_items(column.len());
    let texts = fields
        .iter()
        .filter(|field| matches!(field.shape, Shape::String(_) | Shape::Pattern(..)));
    let in_field = |field: &Field| {
        let with = |(mut item, text): (Value, &Value)| {
            item[field.name.as_str()] = text.clone();
            item
        };
        examples.iter().cloned().zip(column).map(with).collect()
    };
    texts.map(in_field).collect()
}
