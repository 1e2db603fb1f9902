//! A walk shows every step and reports the transitions that it could not take.

use std::collections::BTreeSet;

use bugle_core::engine::{Origin, walk};
use bugle_core::name::StepId;
use bugle_core::outcome::Outcome;
use bugle_core::shape::Shape;
use bugle_core::workflow::{StepDef, Workflow, WorkflowDef, sub_agent_result};
use bugle_testkit::spelling::skill_address;
use bugle_testkit::strategy::{steerable_workflow, valid_workflow};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{cases, sound};

/// All transitions in the graph.
fn transitions(workflow: &Workflow) -> BTreeSet<(StepId, Outcome)> {
    let steps = workflow.steps().iter();
    steps
        .flat_map(|step| {
            let outcomes = step.possible_outcomes().into_iter();
            outcomes.map(|outcome| (step.id.clone(), outcome))
        })
        .collect()
}

/// A possible report from a sub-agent.
fn reported(step: &StepDef) -> Value {
    Shape::Object(sub_agent_result(step)).example()
}

/// Whether a workflow is small enough for a complete walk. Every additional value multiplies the number of cases.
fn is_small(definition: &WorkflowDef) -> bool {
    let fields = definition.steps.iter().flat_map(|step| &step.result);
    let results: usize = fields.map(|field| values(&field.shape)).sum();
    let params: usize = definition.params.iter().map(|arg| values(&arg.shape)).sum();
    definition.steps.len() <= 5 && results <= 4 && params <= 4
}

/// The number of values that a shape describes, including nested ones.
fn values(shape: &Shape) -> usize {
    match shape {
        Shape::Array { items, .. } => 1 + values(items),
        Shape::Object(fields) => fields.iter().map(|field| values(&field.shape)).sum(),
        _ => 1,
    }
}

proptest! {
    #![proptest_config(cases(16))]

    #[test]
    fn a_walk_takes_or_reports_every_transition(
        definition in valid_workflow().prop_filter("small", is_small),
    ) {
        let workflow = sound(definition);
        let mut shown = 0;
        let report = walk(&skill_address("tested"), &workflow, &Origin::Fresh, &reported, |_| shown += 1);
        prop_assert!(shown > 0 && report.situations > 0);
        prop_assert!(report.taken.is_disjoint(&report.missed));
        let told: BTreeSet<_> = report.taken.union(&report.missed).cloned().collect();
        prop_assert_eq!(told, transitions(&workflow));
    }

    #[test]
    fn a_walk_visits_every_step_reachable_by_results(
        definition in steerable_workflow().prop_filter("small", is_small),
    ) {
        let workflow = sound(definition);
        let mut visited: BTreeSet<StepId> = BTreeSet::new();
        let report = walk(&skill_address("tested"), &workflow, &Origin::Fresh, &reported, |state| {
            visited.extend(state.current().map(|visit| visit.step.clone()));
        });
        let steps: BTreeSet<StepId> = workflow.steps().iter().map(|step| step.id.clone()).collect();
        prop_assert!(report.endings > 0);
        prop_assert_eq!(visited, steps, "after {} situations", report.situations);
        // A question cannot fail, so its `fail` transition is never taken.
        let missed: Vec<_> = report
            .missed
            .iter()
            .filter(|(id, outcome)| {
                *outcome != Outcome::Fail || workflow.step(id).is_some_and(|step| step.ask.is_none())
            })
            .collect();
        prop_assert!(missed.is_empty(), "{missed:?} after {} situations", report.situations);
    }
}
