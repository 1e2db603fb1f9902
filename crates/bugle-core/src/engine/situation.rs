//! Keys that let a walk recognise situations it has already seen.

use serde_json::{Value, json};

use super::moves::GuardPath;
use super::rounds::iteration;
use super::state::RunState;
use super::status::RunStatus;
use super::tasks::record_value;
use super::visit::Visit;
use crate::count::counted;
use crate::task::Board;
use crate::workflow::Workflow;

/// The key for the rest of the walk: the step, the round, the steps with results, the values that guards read, and the
/// states of the plan's tasks.
pub(super) fn situation(
    state: &RunState,
    workflow: &Workflow,
    (read, board): (&[GuardPath], &Board),
) -> String {
    match (state.current(), state.status) {
        (Some(visit), _) => {
            let results = state.results_before(visit.number);
            let visited: Vec<&String> = results.keys().collect();
            let params: Vec<&String> = state.params.keys().collect();
            let values = json!({ "params": state.params, "state": results });
            let decisive: Vec<String> = read
                .iter()
                .map(|path| {
                    path.segments
                        .iter()
                        .try_fold(&values, |value, segment| value.get(segment))
                })
                .map(|value| value.map(decisive).unwrap_or_default())
                .collect();
            let round = iteration(state, workflow, visit.number);
            // A person may send work back any number of times. Beyond the limit, every round is equivalent.
            let loops: Vec<(String, u32)> = state
                .loops_at(visit.number)
                .into_iter()
                .map(|(step, rounds)| {
                    let gate = workflow.step(step).and_then(|step| step.gate.as_ref());
                    (
                        step.to_string(),
                        gate.map_or(rounds, |gate| rounds.min(gate.limit)),
                    )
                })
                .collect();
            let loops = (loops, visit.judged.is_some(), state.accepted.len().min(1));
            let has_task = state.task(visit.number).is_some();
            let tasks = (has_task, board.ready().len(), board.open(), board.done());
            format!(
                "{} {round} {loops:?} {tasks:?} {params:?} {visited:?} {decisive:?}",
                visit.step
            )
        }
        (None, RunStatus::Completed | RunStatus::Failed) => {
            let last = state
                .head()
                .map(|visit| visit.step.to_string())
                .unwrap_or_default();
            format!("end {last}")
        }
        (None, other) => other.to_string(),
    }
}

/// The key for rendered text: which values exist, and which lists are empty.
pub(super) fn appearance(state: &RunState, workflow: &Workflow) -> String {
    let Some(visit) = state.current() else {
        return String::new();
    };
    let values = json!({
        "params": state.params, "state": state.results_before(visit.number),
        "record": record_value(state, visit.number),
    });
    format!(
        "{} {} {} {}",
        visit.step,
        iteration(state, workflow, visit.number),
        state.task(visit.number).is_some(),
        outline(&values)
    )
}

/// The structure of a value: its fields, and which lists are empty.
fn outline(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), outline(value)))
            .collect(),
        Value::Array(items) => Value::Array(items.first().map(outline).into_iter().collect()),
        _ => Value::Null,
    }
}

/// The effect of a move on later steps: the visit's outcome, the result values that later guards read, and the parts of
/// the result that rendered text could contain.
pub(super) fn effect(next: &RunState, visit: &Visit, read: &[GuardPath]) -> String {
    let over = next.visit(visit.number);
    let ending = over.and_then(|visit| visit.ending.as_ref());
    let result = ending.and_then(|ending| ending.result.as_ref());
    let later = read.iter().filter_map(|path| match path.segments.as_slice() {
        [root, step, fields @ ..] if root == "state" && *step == visit.step.as_str() => {
            let value = fields.iter().try_fold(result?, |value, field| value.get(field));
            Some(value.map(decisive).unwrap_or_default())
        }
        _ => None,
    });
    let later: Vec<String> = later.collect();
    let outcome = ending.map(|ending| ending.outcome);
    let judged = over.is_some_and(|visit| visit.judged.is_some());
    format!(
        "{outcome:?} {judged} {:?} {later:?} {}",
        next.status,
        result.map(outline).unwrap_or_default()
    )
}

/// The properties of a value that guards can distinguish.
fn decisive(value: &Value) -> String {
    match value {
        Value::Array(items) => counted(items.len(), "item"),
        value => value.to_string(),
    }
}
