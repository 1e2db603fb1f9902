//! Transitions: ends a visit and enters the next step.

use serde_json::Value;

use super::dispatch::{self, OpenQuestions};
use super::event::Event;
use super::refusal::Refusal;
use super::tasks::closed;
use super::unfolding::Unfolding;
use super::visit_outcome::outcome_of;
use crate::id::VisitNumber;
use crate::outcome::{Outcome, Target};
use crate::task::BoardTask;
use crate::workflow::{StepDef, TaskUse, Workflow};

/// Ends the open visit with these events and continues. The last event has the outcome.
pub(super) fn advance(
    so_far: &mut Unfolding<'_>,
    step: &StepDef,
    ended: Vec<Event>,
    outcome: Outcome,
) -> Result<(), Refusal> {
    let Some(visit) = so_far.state.current() else {
        return Ok(());
    };
    let number = visit.number;
    let closing = closed(&so_far.state, visit, step.closes_task(outcome), result_in(&ended));
    for event in closing.into_iter().chain(ended) {
        so_far.record(event);
    }
    let workflow: &Workflow = so_far.workflow;
    match step.leads_to(outcome) {
        Some(Target::Step(next)) => match workflow.step(next) {
            Some(next) => enter(so_far, next, number.following(), Some(number)),
            None => Ok(()),
        },
        // A validated workflow maps every possible outcome.
        Some(Target::End) | None => {
            so_far.record(Event::Completed);
            Ok(())
        }
    }
}

/// The result that a visit ends with.
fn result_in(ended: &[Event]) -> Option<&Value> {
    ended.iter().find_map(|event| match event {
        Event::Ended { result, .. } => result.as_ref(),
        _ => None,
    })
}

/// Enters a step: starts the visit, asks the question, takes a task, or dispatches sub-agents.
pub(super) fn enter(
    so_far: &mut Unfolding<'_>,
    step: &StepDef,
    visit: VisitNumber,
    after_visit: Option<VisitNumber>,
) -> Result<(), Refusal> {
    so_far.record(Event::Entered {
        visit,
        step: step.id.clone(),
        after: after_visit,
        files: None,
    });
    if step.ask.is_some() {
        so_far.record(Event::Asked { visit });
    }
    if step.task.contains(&TaskUse::Take) {
        take(so_far, visit);
    }
    let Some(children) = dispatch::plan(so_far, step, visit)? else {
        return Ok(());
    };
    let is_empty = children.is_empty();
    so_far.record(Event::Dispatched { visit, children });
    // If there are no sub-agents and no expected evidence, there is nothing to do, so the run moves on.
    if is_empty && step.expect.is_empty() {
        pass_by(so_far, step)?;
    }
    Ok(())
}

/// Ends a visit that has no sub-agents as soon as it starts, and continues the run.
fn pass_by(so_far: &mut Unfolding<'_>, step: &StepDef) -> Result<(), Refusal> {
    let Some(visit) = so_far.state.current() else {
        return Ok(());
    };
    let joined = dispatch::join(step, visit, &[], OpenQuestions::Hold)?;
    let end = outcome_of(so_far, step, visit, Some(&joined))?;
    let ended = Event::Ended {
        visit: visit.number,
        outcome: end.outcome,
        result: Some(joined),
        reason: None,
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        exhausted: end.exhausted,
        no_progress: end.no_progress,
        tree: None,
    };
    advance(so_far, step, vec![ended], end.outcome)
}

/// Takes the run's open task, or else the first task that is ready.
fn take(so_far: &mut Unfolding<'_>, visit: VisitNumber) {
    let own = so_far.state.task(visit);
    let task = match &so_far.board {
        None => own,
        Some(board) => {
            // A person may have closed the task, or a new version of the plan may have dropped it.
            let is_own = |task: &&BoardTask| own.is_some_and(|own| own.id == task.brief.id);
            let found = board.tasks().iter().find(is_own);
            let kept = found.filter(|task| task.status.is_open());
            kept.map(|task| &task.brief)
                .or_else(|| board.ready().into_iter().next())
        }
    };
    if let Some(task) = task.cloned() {
        so_far.record(Event::Took { visit, task });
    }
}
