//! What a person does to a run as a whole: fork, note, rewind, upgrade.

use serde_json::Value;

use super::command::Decision;
use super::decide::{Decided, enter};
use super::event::{Event, Origin, Recorded};
use super::refusal::Refusal;
use super::state::{RunState, Status};
use crate::id::{ContentHash, RunId, VisitNumber};
use crate::name::StepId;
use crate::shape::{Mismatch, Shape};
use crate::validate::Flow;
use crate::workflow::Workflow;

/// The events of a run that begins where another one entered a visit; `None` if it never did.
pub fn fork(source: &RunId, history: &[Recorded], at: VisitNumber) -> Option<Vec<Event>> {
    let entered = |recorded: &Recorded| matches!(recorded.event, Event::Entered { visit, .. } if visit == at);
    let index = history.iter().position(entered)?;
    let asked = |recorded: &&Recorded| matches!(recorded.event, Event::Asked { visit } if visit == at);
    let mut events: Vec<Event> = history[..=index]
        .iter()
        .map(|recorded| recorded.event.clone())
        .collect();
    events.extend(
        history
            .get(index + 1)
            .filter(asked)
            .map(|recorded| recorded.event.clone()),
    );
    if let Some(Event::Started { origin, .. }) = events.first_mut() {
        *origin = Origin::Fork {
            run: source.clone(),
            visit: at,
        };
    }
    Some(events)
}

pub(super) fn note(state: &RunState, text: String) -> Decided {
    if text.trim().is_empty() {
        return Err(Refusal::Empty("the note"));
    }
    let visit = state.head().ok_or(Refusal::WrongStatus(state.status))?;
    Ok(Decision::Accept(vec![Event::Noted {
        visit: visit.number,
        text,
    }]))
}

pub(super) fn rewind(state: &RunState, workflow: &Workflow, to: VisitNumber) -> Decided {
    let visit = state.visit(to).ok_or(Refusal::UnknownVisit(to))?;
    if state.status == Status::Cancelled {
        return Err(Refusal::WrongStatus(state.status));
    }
    if !state.is_in_history(to) {
        return Err(Refusal::NotInHistory(to));
    }
    if state.current().is_some_and(|current| current.number == to) && state.status != Status::Paused {
        return Ok(Decision::Already);
    }
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    let next = state
        .head()
        .map_or(VisitNumber(1), |head| head.number.following());
    let mut events = vec![Event::Rewound { to }];
    events.extend(enter(step, next, visit.after));
    Ok(Decision::Accept(events))
}

pub(super) fn upgrade(state: &RunState, pin: ContentHash, newer: &Workflow) -> Decided {
    if !state.status.is_open() {
        return Err(Refusal::WrongStatus(state.status));
    }
    if pin == state.pin {
        return Err(Refusal::SameVersion);
    }
    let current = state.current().ok_or(Refusal::WrongStatus(state.status))?;
    let step = newer
        .step(&current.step)
        .ok_or_else(|| Refusal::StepGone(current.step.clone()))?;
    if step.ask.is_some() != current.asked {
        return Err(Refusal::DoesNotFit {
            what: format!("step {}, which asks a person in only one of them", step.id),
            mismatches: Vec::new(),
        });
    }
    let mut params = state.params.clone();
    for arg in newer.params() {
        let name = arg.name.as_str();
        if let Some(value) = params.remove(name) {
            fits(format!("param {name}"), &arg.shape, &value)?;
        } else if arg.presence == crate::shape::Presence::Required || arg.default.is_some() {
            let mismatches = vec![Mismatch {
                path: String::new(),
                expected: arg.shape.to_string(),
                found: "nothing".to_owned(),
            }];
            return Err(Refusal::DoesNotFit {
                what: format!("param {name}"),
                mismatches,
            });
        }
    }
    let brought = state.results_before(current.number);
    let flow = Flow::of(newer.definition());
    let index = newer
        .steps()
        .iter()
        .position(|other| other.id == step.id)
        .unwrap_or(0);
    for earlier in flow
        .certain_results()
        .get(index)
        .into_iter()
        .flatten()
        .map(|index| &newer.steps()[*index])
    {
        // The new version counts on this result, and the run never brought it.
        if !earlier.result.is_empty() && !brought.contains_key(earlier.id.as_str()) {
            let expected = Shape::Object(earlier.result.clone()).to_string();
            let mismatches = vec![Mismatch {
                path: String::new(),
                expected,
                found: "nothing".to_owned(),
            }];
            return Err(Refusal::DoesNotFit {
                what: format!("the result of step {}", earlier.id),
                mismatches,
            });
        }
    }
    for (id, result) in &brought {
        let owed = StepId::new(id.as_str()).ok().and_then(|id| newer.step(&id));
        if let Some(step) = owed.filter(|step| step.ask.is_none()) {
            fits(
                format!("the result of step {id}"),
                &Shape::Object(step.result.clone()),
                result,
            )?;
        }
    }
    Ok(Decision::Accept(vec![Event::Upgraded { pin }]))
}

fn fits(what: String, shape: &Shape, value: &Value) -> Result<(), Refusal> {
    let mismatches = shape.mismatches(value);
    if mismatches.is_empty() {
        Ok(())
    } else {
        Err(Refusal::DoesNotFit { what, mismatches })
    }
}
