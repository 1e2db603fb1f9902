//! Counts a loop's or review's rounds since the run entered the loop or review.

use std::collections::BTreeSet;

use super::state::RunState;
use super::trail::VisitSummary;
use crate::id::VisitNumber;
use crate::name::StepId;
use crate::outcome::Outcome;
use crate::validate::Flow;
use crate::workflow::{StepDef, Workflow};

/// The outcome that makes a step repeat.
fn going_round(step: &StepDef) -> Outcome {
    if step.gate.is_some() {
        Outcome::Fail
    } else {
        Outcome::Iterate
    }
}

/// The steps in a loop: from the target of its back edge up to this step.
pub(super) fn way_round(workflow: &Workflow, step: &StepDef) -> BTreeSet<StepId> {
    let steps = workflow.steps();
    let index = |id: &StepId| steps.iter().position(|step| step.id == *id);
    let back_to = step.leads_to(going_round(step)).and_then(|target| target.step());
    let ends = index(&step.id).zip(back_to.and_then(index));
    let inside = ends.map(|(last, back_to)| Flow::of(workflow.definition()).inner_loop(last, back_to));
    inside
        .into_iter()
        .flatten()
        .map(|at| steps[at].id.clone())
        .collect()
}

/// A step's earlier visits in the current loop that sent the run back, latest first.
pub(super) fn rounds_before<'a>(
    state: &'a RunState,
    workflow: &Workflow,
    step: &StepDef,
    number: VisitNumber,
) -> Vec<VisitSummary<'a>> {
    // Usually there is nothing to count, so avoid building the graph.
    let went_round =
        |passed: &VisitSummary<'_>| *passed.step == step.id && passed.outcome == Some(going_round(step));
    if !state.passed(number).skip(1).any(|passed| went_round(&passed)) {
        return Vec::new();
    }
    let way = way_round(workflow, step);
    state
        .passed(number)
        .skip(1)
        .take_while(|passed| way.contains(passed.step))
        .filter(|passed| *passed.step == step.id)
        .take_while(went_round)
        .collect()
}

/// The round of a visit in its loop: 1, plus 1 for each earlier visit that sent the run back.
pub fn iteration(state: &RunState, workflow: &Workflow, number: VisitNumber) -> u32 {
    let step = state.visit(number).and_then(|visit| workflow.step(&visit.step));
    // Only a step with a loop has rounds; a gate's reviews are counted by their verdicts.
    let rounds = step
        .filter(|step| step.repeat.is_some())
        .map_or(0, |step| rounds_before(state, workflow, step, number).len());
    u32::try_from(rounds).unwrap_or(u32::MAX).saturating_add(1)
}
