//! Moving on: what follows when a visit ended, and what happens when a step is entered.

use super::event::{Event, Recorded};
use super::refusal::Refusal;
use super::state::{RunState, Visit};
use super::{dispatch, finish};
use crate::id::{Actor, VisitNumber};
use crate::outcome::{Outcome, Target};
use crate::workflow::{StepDef, Workflow};

/// A visit ended with these events: they, and what follows.
pub(super) fn advance(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: &Visit,
    ended: Vec<Event>,
    outcome: Outcome,
) -> Result<Vec<Event>, Refusal> {
    let mut events = ended;
    match step.leads_to(outcome) {
        Some(Target::Step(next)) => {
            if let Some(next) = workflow.step(next) {
                let then = after(state, &events);
                events.extend(enter(
                    &then,
                    workflow,
                    next,
                    visit.number.following(),
                    Some(visit.number),
                )?);
            }
        }
        // A validated workflow maps every outcome that can happen.
        Some(Target::End) | None => events.push(Event::Completed),
    }
    Ok(events)
}

/// A step is entered: the visit begins, a person is asked, sub-agents are called for.
pub(super) fn enter(
    state: &RunState,
    workflow: &Workflow,
    step: &StepDef,
    visit: VisitNumber,
    after_visit: Option<VisitNumber>,
) -> Result<Vec<Event>, Refusal> {
    let mut events = vec![Event::Entered {
        visit,
        step: step.id.clone(),
        after: after_visit,
    }];
    if step.ask.is_some() {
        events.push(Event::Asked { visit });
    }
    let then = after(state, &events);
    let Some(children) = dispatch::plan(&then, workflow, step, visit)? else {
        return Ok(events);
    };
    let nobody = children.is_empty();
    events.push(Event::Dispatched { visit, children });
    // Where nobody is called for and nothing is to be checked, there is nothing to do: the run goes on by itself.
    if nobody && step.expect.is_empty() {
        let then = after(state, &events);
        if let Some(open) = then.current() {
            events.extend(finish::passed_by(&then, workflow, step, open)?);
        }
    }
    Ok(events)
}

/// The state as it would be after these events.
fn after(state: &RunState, events: &[Event]) -> RunState {
    let mut then = state.clone();
    for event in events {
        let recorded = Recorded {
            at: state.changed_at,
            by: Actor::Program,
            event: event.clone(),
        };
        // They were made for this very state, so they follow from it.
        let _ = then.apply(&recorded);
    }
    then
}
