//! Tests that random workflows cover all features and faults.

use std::collections::BTreeSet;

use bugle_core::expression::Expression;
use bugle_core::outcome::{Outcome, Target};
use bugle_core::shape::Shape;
use bugle_core::validate::Rule;
use bugle_core::workflow::{AtLimit, FanOut, StepDef, WorkflowDef};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::faults::FAULTS;
use super::{MAX_STEPS, broken_workflow, steerable_workflow, valid_workflow};

fn drawn<T>(strategy: &impl Strategy<Value = T>, count: usize) -> Vec<T> {
    let mut runner = TestRunner::deterministic();
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).unwrap().current())
        .collect()
}

fn kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::String(_) => "string",
        Shape::Pattern(..) => "pattern",
        Shape::Reference(_) => "reference",
        Shape::Integer(_) => "integer",
        Shape::Number(_) => "number",
        Shape::Boolean => "boolean",
        Shape::Enum(_) => "enum",
        Shape::Array { .. } => "array",
        Shape::Object(_) => "object",
    }
}

/// The first and the last step of each loop.
fn spans(workflow: &WorkflowDef) -> Vec<(usize, usize)> {
    let steps = workflow.steps.iter().enumerate();
    steps
        .filter_map(|(at, step)| {
            let back = step.next.iterate.as_ref().and_then(Target::step)?;
            let start = workflow.steps.iter().position(|step| step.id == *back)?;
            Some((start, at))
        })
        .collect()
}

fn features(workflow: &WorkflowDef) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let spans = spans(workflow);
    let inside =
        |one: &(usize, usize), other: &(usize, usize)| one != other && other.0 <= one.0 && one.1 <= other.1;
    let any = |test: fn(&StepDef) -> bool| workflow.steps.iter().any(test);
    let reads = |word: &str| {
        let guards = workflow.steps.iter().flat_map(|step| &step.route);
        guards.into_iter().any(|route| route.when.as_str().contains(word))
    };
    let signs = [
        ("one step", workflow.steps.len() == 1),
        ("many steps", workflow.steps.len() >= MAX_STEPS - 2),
        (
            "a loop of one step",
            spans.iter().any(|(start, end)| start == end),
        ),
        ("a loop with a body", spans.iter().any(|(start, end)| start < end)),
        (
            "a nested loop",
            spans
                .iter()
                .any(|one| spans.iter().any(|other| inside(one, other))),
        ),
        (
            "a loop that fails at its limit",
            any(|step| {
                step.repeat
                    .as_ref()
                    .is_some_and(|repeat| repeat.at_limit == AtLimit::Fail)
            }),
        ),
        ("a gate", any(|step| step.gate.is_some())),
        ("a question", any(|step| step.ask.is_some())),
        ("a bypass", any(|step| step.can_end(Outcome::Skip))),
        ("a failure", any(|step| step.on_error.is_some())),
        ("a default", any(|step| step.next.default.is_some())),
        ("evidence", any(|step| !step.expect.is_empty())),
        ("sub-agents", any(|step| step.dispatch.is_some())),
        (
            "many sub-agents",
            any(|step| {
                step.dispatch
                    .as_ref()
                    .is_some_and(|dispatch| matches!(dispatch.fan_out, FanOut::ForEach { .. }))
            }),
        ),
        ("a guard that reads params", reads("params.")),
        ("a guard that reads results", reads("state.")),
        ("a guard that tests an optional value", reads("has(state.")),
    ];
    found.extend(
        signs
            .into_iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| name),
    );
    let fields = workflow.steps.iter().flat_map(|step| &step.result);
    found.extend(fields.map(|field| kind(&field.shape)));
    found
}

#[test]
fn valid_workflows_have_every_feature() {
    let found: BTreeSet<&str> = drawn(&valid_workflow(), 400).iter().flat_map(features).collect();
    assert_eq!(found.len(), 17 + 8, "{found:?}");
}

#[test]
fn no_workflow_is_empty_or_too_long() {
    for workflow in drawn(&valid_workflow(), 200) {
        assert!((1..=MAX_STEPS).contains(&workflow.steps.len()));
    }
}

#[test]
fn steerable_workflows_read_only_the_latest_result() {
    for workflow in drawn(&steerable_workflow(), 200) {
        for step in &workflow.steps {
            let routes = step.route.iter().map(|route| &route.when);
            let guards = routes.chain(step.repeat.iter().map(|repeat| &repeat.until));
            for path in guards.flat_map(Expression::paths) {
                assert_eq!(path.segments[0], "result", "{path}");
            }
        }
    }
}

#[test]
fn every_fault_is_drawn() {
    let drawn: BTreeSet<Rule> = drawn(&broken_workflow(), 600)
        .into_iter()
        .map(|broken| broken.rule)
        .collect();
    let known: BTreeSet<Rule> = FAULTS.iter().map(|fault| fault.rule).collect();
    assert_eq!(drawn, known);
}
