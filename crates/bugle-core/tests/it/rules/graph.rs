//! Rules about the graph.

use bugle_core::outcome::Outcome::{Fail, Iterate, Ok, Skip};
use bugle_core::outcome::Transitions;
use bugle_core::validate::Rule;
use bugle_core::workflow::{AtLimit, GateConfig, StepDef, WorkflowDef};
use bugle_testkit::spelling::step_id;

use super::{Case, case, case_of, rules};
use crate::support::{Build, step};

rules! {
    two_steps_have_one_id breaks DuplicateStep;
    there_is_no_step breaks EntryMissing;
    a_way_leads_to_no_step breaks UnknownTarget;
    nothing_leads_to_a_step breaks UnreachableStep;
    no_way_leads_to_the_end breaks EndUnreachable;
    a_step_leads_nowhere breaks NoWayOut;
    an_outcome_leads_nowhere breaks UnmappedOutcome;
    an_outcome_never_happens breaks DeadOutcome;
    a_cycle_has_no_limit breaks UnboundedCycle;
    a_limit_is_no_limit breaks BadLimit;
    rework_does_not_come_back breaks GateNeverReturns;
}

fn gated(id: &str, rework: &str) -> StepDef {
    let mut gated = step(id);
    gated.gate = Some(GateConfig {
        name: "Completeness".to_owned(),
        rework: step_id(rework),
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    });
    gated
}

fn at_limit_fail(mut step: StepDef) -> StepDef {
    if let Some(repeat) = &mut step.repeat {
        repeat.at_limit = AtLimit::Fail;
    }
    step
}

fn leading_nowhere(id: &str) -> StepDef {
    let mut step = step(id);
    step.next = Transitions::default();
    step
}

/// A guard that is true only from the third iteration on.
const OFTEN: &str = "visit.iteration > 2";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = ways();
    cases.extend(outcomes());
    cases.extend(rounds());
    cases
}

fn ways() -> Vec<Case> {
    vec![
        case(
            Rule::DuplicateStep,
            "workflow.yaml steps.a",
            [step("a").to("b"), step("b"), step("a")],
        ),
        case_of(Rule::EntryMissing, "workflow.yaml steps", WorkflowDef::default()),
        case(
            Rule::UnknownTarget,
            "workflow.yaml steps.a.next.ok +0",
            [step("a").to("revew"), step("review")],
        ),
        case(
            Rule::UnknownTarget,
            "workflow.yaml steps.a.next.default +0",
            [step("a").otherwise("elsewhere")],
        ),
        case(
            Rule::UnknownTarget,
            "workflow.yaml steps.a.on_error +0",
            [step("a").failing_to("nowhere")],
        ),
        case(
            Rule::UnknownTarget,
            "workflow.yaml steps.b.gate.rework +0",
            [step("a").to("b"), gated("b", "c").on(Fail, "a")],
        ),
        case(
            Rule::UnreachableStep,
            "workflow.yaml steps.b",
            [step("a"), step("b")],
        ),
        case(
            Rule::UnreachableStep,
            "workflow.yaml steps.c",
            [step("a"), step("b").to("c"), step("c").to("b").failing_to("end")],
        ),
        case(
            Rule::EndUnreachable,
            "workflow.yaml steps.b",
            [step("a").failing_to("b"), step("b").to("c"), step("c").to("b")],
        ),
        case(
            Rule::NoWayOut,
            "workflow.yaml steps.a.next",
            [leading_nowhere("a")],
        ),
        case(
            Rule::NoWayOut,
            "workflow.yaml steps.a.next",
            [leading_nowhere("a").failing_to("end")],
        ),
    ]
}

fn outcomes() -> Vec<Case> {
    vec![
        case(
            Rule::UnmappedOutcome,
            "workflow.yaml steps.a.route.1",
            [step("a").when(OFTEN, Ok).when("visit.number > 3", Skip)],
        ),
        case(
            Rule::UnmappedOutcome,
            "workflow.yaml steps.a.loop",
            [step("a").until(OFTEN, 3)],
        ),
        case(
            Rule::UnmappedOutcome,
            "workflow.yaml steps.a.loop",
            [at_limit_fail(step("a").until(OFTEN, 3).on(Iterate, "a"))],
        ),
        case(
            Rule::UnmappedOutcome,
            "workflow.yaml steps.b.gate",
            [step("a").to("b"), gated("b", "a")],
        ),
        case(
            Rule::UnmappedOutcome,
            "workflow.yaml steps.a.next",
            [leading_nowhere("a")
                .until(OFTEN, 3)
                .on(Iterate, "a")
                .on(Fail, "end")],
        ),
        case(
            Rule::DeadOutcome,
            "workflow.yaml steps.a.next.skip",
            [step("a").on(Skip, "end")],
        ),
        case(
            Rule::DeadOutcome,
            "workflow.yaml steps.a.next.iterate",
            [step("a").on(Iterate, "a")],
        ),
        case(
            Rule::DeadOutcome,
            "workflow.yaml steps.a.next.default",
            [step("a").on(Fail, "end").otherwise("end")],
        ),
    ]
}

fn rounds() -> Vec<Case> {
    let mut never_reviewed = gated("b", "a").on(Fail, "a");
    if let Some(gate) = &mut never_reviewed.gate {
        gate.limit = 0;
    }
    vec![
        case(
            Rule::UnboundedCycle,
            "workflow.yaml steps.a.next",
            [step("a").failing_to("a")],
        ),
        case(
            Rule::UnboundedCycle,
            "workflow.yaml steps.b.next",
            [
                step("a").asks(&["good", "bad"]).to("b"),
                step("b").when(OFTEN, Skip).to("a").on(Skip, "end"),
            ],
        ),
        case(
            Rule::UnboundedCycle,
            "workflow.yaml steps.b.next",
            [
                step("a").asks(&[]).to("b"),
                step("b").when(OFTEN, Skip).to("a").on(Skip, "end"),
            ],
        ),
        case(
            Rule::UnboundedCycle,
            "workflow.yaml steps.c.next",
            [
                step("a").to("b"),
                step("b").to("c"),
                step("c").when(OFTEN, Skip).to("b").on(Skip, "end"),
            ],
        ),
        case(
            Rule::BadLimit,
            "workflow.yaml steps.a.loop.limit",
            [step("a").until(OFTEN, 0).on(Iterate, "a")],
        ),
        case(
            Rule::BadLimit,
            "workflow.yaml steps.a.loop.limit",
            [step("a").until(OFTEN, 101).on(Iterate, "a")],
        ),
        case(
            Rule::BadLimit,
            "workflow.yaml steps.b.gate.limit",
            [step("a").to("b"), never_reviewed],
        ),
        case(
            Rule::GateNeverReturns,
            "workflow.yaml steps.b.gate.rework",
            [step("a").to("b"), gated("b", "c").on(Fail, "c"), step("c")],
        ),
        case(
            Rule::GateNeverReturns,
            "workflow.yaml steps.b.next.fail",
            [
                step("a").to("b"),
                gated("b", "a").on(Fail, "c"),
                step("c").to("b").failing_to("end"),
            ],
        ),
    ]
}
