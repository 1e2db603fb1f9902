//! Commands on a run as a whole: note, rewind, fork, upgrade.

use serde_json::Value;

use super::command::{Decided, Decision};
use super::enter::enter;
use super::event::{Event, Origin, Recorded};
use super::refusal::Refusal;
use super::state::RunState;
use super::status::RunStatus;
use super::unfolding::Unfolding;
use crate::id::{ContentHash, RunId, VisitNumber};
use crate::name::StepId;
use crate::shape::{Mismatch, Shape};
use crate::task::Board;
use crate::validate::{Flow, KnownTasks};
use crate::workflow::Workflow;

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

/// Releases an active run; leaves any other run unchanged.
pub(super) fn let_go(state: &RunState) -> Decision {
    match state.current() {
        Some(visit) if state.status == RunStatus::Active => {
            Decision::Accept(vec![Event::LetGo { visit: visit.number }])
        }
        _ => Decision::Already,
    }
}

pub(super) fn rewind(
    state: &RunState,
    workflow: &Workflow,
    to: VisitNumber,
    tasks: Option<&Board>,
) -> Decided {
    let visit = state.visit(to).ok_or(Refusal::UnknownVisit(to))?;
    if state.status == RunStatus::Cancelled {
        return Err(Refusal::WrongStatus(state.status));
    }
    if !state.is_in_history(to) {
        return Err(Refusal::NotInHistory(to));
    }
    if state.current().is_some_and(|current| current.number == to) && state.status != RunStatus::Paused {
        return Ok(Decision::Already);
    }
    let step = workflow
        .step(&visit.step)
        .ok_or_else(|| Refusal::StepGone(visit.step.clone()))?;
    let next = state
        .head()
        .map_or(VisitNumber(1), |head| head.number.following());
    let mut so_far = Unfolding::of(state, workflow, tasks);
    so_far.record(Event::Rewound { to });
    enter(&mut so_far, step, next, visit.after)?;
    Ok(Decision::Accept(so_far.events))
}

pub(super) fn upgrade(state: &RunState, pin: ContentHash, newer: &Workflow) -> Decided {
    if !state.status.is_open() {
        return Err(Refusal::WrongStatus(state.status));
    }
    if matches!(state.origin, Origin::Child(_)) {
        return Err(Refusal::OnlyForWholeRuns);
    }
    if pin == state.pin {
        return Err(Refusal::SameVersion);
    }
    let current = state.current().ok_or(Refusal::WrongStatus(state.status))?;
    let step = newer
        .step(&current.step)
        .ok_or_else(|| Refusal::StepGone(current.step.clone()))?;
    if step.dispatch.is_some() != current.dispatched.is_some() {
        return Err(Refusal::DoesNotFit {
            what: format!(
                "step {} dispatches sub-agents in only one of the two versions",
                step.id
            ),
            mismatches: Vec::new(),
        });
    }
    if current.judged.is_none() && step.ask.is_some() != current.asked.is_some() {
        return Err(Refusal::DoesNotFit {
            what: format!("step {} asks a question in only one of the two versions", step.id),
            mismatches: Vec::new(),
        });
    }
    let mut params = state.params.clone();
    for arg in newer.params() {
        let name = arg.name.as_str();
        if let Some(value) = params.remove(name) {
            fits(format!("param {name}"), &arg.shape, &value)?;
        } else if arg.presence == crate::shape::Presence::Required || arg.default.is_some() {
            let mismatches = vec![Mismatch::missing("", &arg.shape)];
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
        // The new version relies on a result that the run does not have.
        if !earlier.result.is_empty() && !brought.contains_key(earlier.id.as_str()) {
            let expected = Shape::Object(earlier.result.clone());
            let mismatches = vec![Mismatch::missing("", &expected)];
            return Err(Refusal::DoesNotFit {
                what: format!("the result of step {}", earlier.id),
                mismatches,
            });
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
    if let Some((what, _)) = lacks.into_iter().find(|(_, lacks)| *lacks) {
        return Err(Refusal::DoesNotFit {
            what: format!("the step needs {what}, but the run has none"),
            mismatches: Vec::new(),
        });
    }
    for (id, result) in &brought {
        let declared = StepId::new(id.as_str()).ok().and_then(|id| newer.step(&id));
        if let Some(step) = declared.filter(|step| step.ask.is_none()) {
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

/// The events of a new run that starts where another run entered a visit; `None` if there is no such visit.
pub fn fork(source: &RunId, history: &[Recorded], at: VisitNumber) -> Option<Vec<Event>> {
    let entered = |recorded: &Recorded| matches!(recorded.event, Event::Entered { visit, .. } if visit == at);
    let index = history.iter().position(entered)?;
    // Keep the events that were recorded on entering the visit, but no later ones.
    let entering = |recorded: &&Recorded| match recorded.event {
        Event::Asked { visit } | Event::Took { visit, .. } | Event::Dispatched { visit, .. } => visit == at,
        _ => false,
    };
    let before = history[..=index].iter();
    let with = history[index + 1..].iter().take_while(entering);
    let mut events: Vec<Event> = before
        .chain(with)
        .map(|recorded| recorded.event.clone())
        .collect();
    // The recorded files do not apply: the new run starts with the project's current files.
    for event in &mut events {
        if let Event::Entered { visit, files, .. } = event
            && *visit == at
        {
            *files = None;
        }
    }
    if let Some(Event::Started { origin, .. }) = events.first_mut() {
        *origin = Origin::Fork {
            run: source.clone(),
            visit: at,
            task: origin.task().cloned(),
        };
    }
    Some(events)
}
