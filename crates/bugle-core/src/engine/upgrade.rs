//! Moves a run to another version of its skill, if the run's data fits that version.

use serde_json::{Map, Value};

use super::command::{Decided, Decision};
use super::event::{Event, Origin};
use super::refusal::Refusal;
use super::state::RunState;
use super::visit::Visit;
use crate::id::ContentHash;
use crate::name::StepId;
use crate::rights::Action;
use crate::shape::{Mismatch, Presence, Shape};
use crate::validate::{Flow, KnownTasks};
use crate::workflow::{DispatchWork, StepDef, Workflow, sub_agent_result};

pub(super) fn upgrade(state: &RunState, pin: ContentHash, newer: &Workflow) -> Decided {
    if !state.status.is_open() {
        return Err(Refusal::WrongStatus(state.status));
    }
    if matches!(state.origin, Origin::Child(_)) {
        return Err(Refusal::OnlyForWholeRuns(Action::Upgrade));
    }
    if pin == state.pin {
        return Err(Refusal::SameVersion);
    }
    let current = state.current().ok_or(Refusal::WrongStatus(state.status))?;
    let step = newer
        .step(&current.step)
        .ok_or_else(|| Refusal::StepGone(current.step.clone()))?;
    same_kind_of_step(step, current)?;
    let params = new_params(state, newer)?;
    needed_values(state, current, newer)?;
    for (id, record) in &state.results_before(current.number) {
        let declared = StepId::new(id.as_str()).ok().and_then(|id| newer.step(&id));
        if let Some(step) = declared.filter(|step| step.ask.is_none()) {
            fits(
                format!("the result of step {id}"),
                record_mismatches(step, record),
            )?;
        }
    }
    Ok(Decision::Accept(vec![Event::Upgraded {
        decides: newer.definition().decides,
        pin,
        params,
    }]))
}

/// Checks that the current step has the same kind in the new version: it dispatches sub-agents, asks a question, or
/// does neither.
fn same_kind_of_step(step: &StepDef, current: &Visit) -> Result<(), Refusal> {
    let differs = |what: &str| {
        Err(Refusal::DoesNotFit {
            what: format!("step {} {what} in only one of the two versions", step.id),
            mismatches: Vec::new(),
        })
    };
    if step.dispatch.is_some() != current.dispatched.is_some() {
        return differs("dispatches sub-agents");
    }
    if current.judged.is_none() && step.ask.is_some() != current.asked.is_some() {
        return differs("asks a question");
    }
    Ok(())
}

/// Checks the run's params; returns the defaults of the params that the run does not have.
fn new_params(state: &RunState, newer: &Workflow) -> Result<Map<String, Value>, Refusal> {
    let mut added = Map::new();
    for arg in newer.params() {
        let name = arg.name.as_str();
        let what = format!("param {name}");
        match (state.params.get(name), &arg.default) {
            (Some(value), _) => fits(what, arg.shape.mismatches(value))?,
            (None, Some(default)) => {
                added.insert(name.to_owned(), default.clone());
            }
            (None, None) if arg.presence == Presence::Required => {
                fits(what, vec![Mismatch::missing("", &arg.shape)])?;
            }
            (None, None) => {}
        }
    }
    Ok(added)
}

/// Checks that the run has the results, the plan and the task that the new version relies on at the current step.
fn needed_values(state: &RunState, current: &Visit, newer: &Workflow) -> Result<(), Refusal> {
    let brought = state.results_before(current.number);
    let flow = Flow::of(newer.definition());
    let index = newer
        .steps()
        .iter()
        .position(|other| other.id == current.step)
        .unwrap_or(0);
    let certain = flow.certain_results();
    let certain = certain.get(index).into_iter().flatten();
    for earlier in certain.map(|index| &newer.steps()[*index]) {
        if !earlier.result.is_empty() && !brought.contains_key(earlier.id.as_str()) {
            let expected = Shape::Object(earlier.result.clone());
            fits(
                format!("the result of step {}", earlier.id),
                vec![Mismatch::missing("", &expected)],
            )?;
        }
    }
    let sight = KnownTasks::of(newer.definition(), &flow);
    let lacks = [
        (
            "a plan",
            sight.plan_at(index) && state.plan_root(current.number).is_none(),
        ),
        (
            "a task from a plan",
            sight.task_at(index) && state.task(current.number).is_none(),
        ),
    ];
    match lacks.into_iter().find(|(_, lacks)| *lacks) {
        None => Ok(()),
        Some((what, _)) => Err(Refusal::DoesNotFit {
            what: format!("the step needs {what}, but the run has none"),
            mismatches: Vec::new(),
        }),
    }
}

/// The mismatches between the recorded result of a visit and the result that the step now records. A dispatch records
/// its sub-agents, each with its own result.
fn record_mismatches(step: &StepDef, record: &Value) -> Vec<Mismatch> {
    let Some(dispatch) = &step.dispatch else {
        return Shape::Object(step.result.clone()).mismatches(record);
    };
    let Some(children) = record.get("children").and_then(Value::as_array) else {
        return vec![Mismatch {
            path: "children".to_owned(),
            message: "missing; the step dispatches sub-agents in only one of the two versions".to_owned(),
        }];
    };
    // A sub-agent with its own workflow returns that workflow's result.
    if dispatch.work != DispatchWork::Brief {
        return Vec::new();
    }
    let expected = Shape::Object(sub_agent_result(step));
    let results = children.iter().enumerate().filter_map(|(index, child)| {
        let mismatches = expected.mismatches(child.get("result")?);
        Some(mismatches.into_iter().map(move |mismatch| {
            let parent = format!("children[{index}].result");
            let path = match mismatch.path.as_str() {
                "" => parent,
                path => format!("{parent}.{path}"),
            };
            Mismatch { path, ..mismatch }
        }))
    });
    results.flatten().collect()
}

fn fits(what: String, mismatches: Vec<Mismatch>) -> Result<(), Refusal> {
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Refusal::DoesNotFit { what, mismatches })
    }
}
