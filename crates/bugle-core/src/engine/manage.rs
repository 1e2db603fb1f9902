//! Commands on a run as a whole: note, rewind, fork.

use super::command::{Decided, Decision};
use super::enter::enter;
use super::event::{Event, Origin, Recorded};
use super::refusal::Refusal;
use super::state::RunState;
use super::status::RunStatus;
use super::unfolding::Unfolding;
use crate::id::{RunId, VisitNumber};
use crate::task::Board;
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

/// The events of a fork: a new run that starts where the source run entered this visit. `None` if there is no such
/// visit.
pub fn fork(source: &RunId, history: &[Recorded], at: VisitNumber) -> Option<Vec<Event>> {
    let entered = |recorded: &Recorded| matches!(recorded.event, Event::Entered { visit, .. } if visit == at);
    let index = history.iter().position(entered)?;
    // Keep the events that were recorded on entering the visit, but no later events.
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
