//! Workflows that work through a plan's tasks: some steps do one task per visit, some dispatches start one sub-agent
//! per task.

use bugle_core::outcome::{Outcome, Target, Transitions};
use bugle_core::workflow::{Evidence, FanOut, StepDef, TaskUse, WorkflowDef};

use crate::spelling::{field_name, step_id};

/// Adds a planning step at the start of a workflow, and makes some steps work through the plan's tasks.
#[must_use]
pub fn over_tasks(mut definition: WorkflowDef) -> WorkflowDef {
    let Some(first) = definition.steps.first() else {
        return definition;
    };
    let plan = StepDef {
        id: step_id("plan"),
        title: "Write the plan".to_owned(),
        phase: None,
        role: None,
        expect: vec![Evidence::Plan {
            file: "plan.md".to_owned(),
        }],
        result: Vec::new(),
        ask: None,
        route: Vec::new(),
        repeat: None,
        gate: None,
        dispatch: None,
        next: Transitions::linear(Target::Step(first.id.clone())),
        on_error: None,
        ..first.clone()
    };
    let undispatched = |step: &&mut StepDef| step.dispatch.is_none() && step.gate.is_none();
    for step in definition.steps.iter_mut().filter(undispatched).step_by(2) {
        step.task = vec![TaskUse::Take, TaskUse::Done];
    }
    // In a loop, the run keeps the task until the loop ends.
    let looping = |step: &&mut StepDef| step.can_end(Outcome::Iterate) && !step.task.is_empty();
    for step in definition.steps.iter_mut().filter(looping).step_by(2) {
        step.task = vec![TaskUse::Take];
    }
    let given_out = definition.steps.iter_mut().filter(|step| step.gate.is_none());
    for dispatch in given_out.filter_map(|step| step.dispatch.as_mut()).step_by(2) {
        dispatch.fan_out = FanOut::Tasks {
            item: field_name("item"),
            limit: 2,
        };
    }
    definition.steps.insert(0, plan);
    definition
}
