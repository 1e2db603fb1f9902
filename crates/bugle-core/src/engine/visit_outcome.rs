//! How a visit ends: the values for its guards, and the outcome that the guards choose.

use serde_json::Value;

use super::context::context;
use super::dispatch;
use super::refusal::Refusal;
use super::rounds::iteration;
use super::state::RunState;
use super::tasks::board_after;
use super::unfolding::Unfolding;
use super::visit::Visit;
use crate::outcome::Outcome;
use crate::task::Board;
use crate::workflow::{AtLimit, StepDef, Workflow};

/// The values for guards and checks if a visit ends with this result.
pub(super) fn guard_values(
    (state, workflow, board): (&RunState, &Workflow, Option<&Board>),
    (step, visit): (&StepDef, &Visit),
    result: Option<&Value>,
) -> Value {
    let board = board.map(|board| board_after(board, state, (step, visit), result));
    context(state, workflow, visit.number).for_guards(workflow, result, board.as_ref())
}

/// A visit's outcome: the first route that matches, else the loop, else `fail` for a failed join, else `ok`.
pub(super) fn outcome_of(
    so_far: &Unfolding<'_>,
    step: &StepDef,
    visit: &Visit,
    result: Option<&Value>,
) -> Result<(Outcome, bool), Refusal> {
    // By default, a join with too few finished sub-agents fails, provided that `fail` has a target.
    let fails = dispatch::has_failed(step, visit, result) && step.leads_to(Outcome::Fail).is_some();
    let done = if fails { Outcome::Fail } else { Outcome::Ok };
    if step.route.is_empty() && step.repeat.is_none() {
        return Ok((done, false));
    }
    let (state, workflow) = (&so_far.state, so_far.workflow);
    let values = guard_values((state, workflow, so_far.board.as_ref()), (step, visit), result);
    let holds = |guard: &crate::expression::Expression| {
        guard.holds(&values).map_err(|error| Refusal::GuardFailed {
            guard: guard.to_string(),
            message: error.to_string(),
        })
    };
    let mut decided = None;
    for route in &step.route {
        if holds(&route.when)? {
            decided = Some(route.outcome);
            break;
        }
    }
    let Some(repeat) = &step.repeat else {
        return Ok((decided.unwrap_or(done), false));
    };
    let outcome = match decided {
        Some(outcome) => outcome,
        None if holds(&repeat.until)? => done,
        None => Outcome::Iterate,
    };
    if outcome == Outcome::Iterate && iteration(state, workflow, visit.number) >= repeat.limit {
        let ended = match repeat.at_limit {
            AtLimit::Ok => Outcome::Ok,
            AtLimit::Fail => Outcome::Fail,
        };
        return Ok((ended, true));
    }
    Ok((outcome, false))
}
