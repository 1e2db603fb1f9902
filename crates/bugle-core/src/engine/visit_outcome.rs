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
use crate::outcome::{Outcome, Target};
use crate::shape::Shape;
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

/// How a visit ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VisitEnd {
    /// The outcome.
    pub outcome: Outcome,
    /// Whether the loop ended only because it reached its limit.
    pub exhausted: bool,
    /// Whether the loop ended only because the visit returned the same result as the visit before.
    pub no_progress: bool,
}

impl VisitEnd {
    /// An end that does not stop a loop early.
    pub(super) fn plain(outcome: Outcome) -> Self {
        Self {
            outcome,
            exhausted: false,
            no_progress: false,
        }
    }
}

/// A visit's outcome: the first route that matches, else the loop, else `fail` for a failed join, else `ok`.
pub(super) fn outcome_of(
    so_far: &Unfolding<'_>,
    step: &StepDef,
    visit: &Visit,
    result: Option<&Value>,
) -> Result<VisitEnd, Refusal> {
    // By default, a join with too few finished sub-agents fails, provided that `fail` has a target.
    let fails = dispatch::has_failed(step, visit, result) && step.leads_to(Outcome::Fail).is_some();
    let done = if fails { Outcome::Fail } else { Outcome::Ok };
    if step.route.is_empty() && step.repeat.is_none() {
        return Ok(VisitEnd::plain(done));
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
        return Ok(VisitEnd::plain(decided.unwrap_or(done)));
    };
    let outcome = match decided {
        Some(outcome) => outcome,
        None if holds(&repeat.until)? => done,
        None => Outcome::Iterate,
    };
    if outcome != Outcome::Iterate {
        return Ok(VisitEnd::plain(outcome));
    }
    let exhausted = iteration(state, workflow, visit.number) >= repeat.limit;
    let no_progress = !exhausted && changed_nothing(state, step, visit, result);
    if !exhausted && !no_progress {
        return Ok(VisitEnd::plain(outcome));
    }
    Ok(VisitEnd {
        outcome: match repeat.at_limit {
            AtLimit::Ok => Outcome::Ok,
            AtLimit::Fail => Outcome::Fail,
        },
        exhausted,
        no_progress,
    })
}

/// Whether a visit of a step that repeats itself returned the same result as the visit before. Counts only results with
/// text or a list, because two results such as `{ "done": false }` do not say that nothing was done.
fn changed_nothing(state: &RunState, step: &StepDef, visit: &Visit, result: Option<&Value>) -> bool {
    let repeats_itself = step.leads_to(Outcome::Iterate).and_then(Target::step) == Some(&step.id);
    let has_content = step.result.iter().any(|field| has_content(&field.shape));
    if !repeats_itself || !has_content || step.dispatch.is_some() || !step.task.is_empty() {
        return false;
    }
    let before = visit.after.and_then(|before| state.visit(before));
    before
        .filter(|before| before.step == step.id)
        .is_some_and(|before| {
            let ending = before.ending.as_ref();
            ending
                .is_some_and(|ending| ending.outcome == Outcome::Iterate && ending.result.as_ref() == result)
        })
}

fn has_content(shape: &Shape) -> bool {
    match shape {
        Shape::String(_) | Shape::Pattern(..) | Shape::Reference(_) | Shape::Array { .. } => true,
        Shape::Object(fields) => fields.iter().any(|field| has_content(&field.shape)),
        Shape::Integer(_) | Shape::Number(_) | Shape::Boolean | Shape::Enum(_) => false,
    }
}
