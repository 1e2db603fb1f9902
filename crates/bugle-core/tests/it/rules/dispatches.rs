//! Rules about sub-agents.

use std::collections::BTreeMap;

use bugle_core::outcome::Outcome;
use bugle_core::role::AgentRole;
use bugle_core::shape::{Length, Shape};
use bugle_core::validate::{Package, Rule};
use bugle_core::workflow::{Arg, Dispatch, DispatchWork, FanOut, GateConfig, StepDef, WorkflowDef};
use bugle_testkit::spelling::{expression, field_name, skill_path};

use super::{Case, case_in, rules};
use crate::support::{Build, step};

rules! {
    a_sub_agents_workflow_is_not_there breaks DispatchMissing;
    a_sub_agent_is_not_given_what_it_needs breaks DispatchMisfit;
    sub_agents_start_each_other breaks DispatchRecursion;
    sub_agents_of_sub_agents_go_too_deep breaks DispatchTooDeep;
    a_reviewer_can_end_without_findings breaks ReviewWithoutFindings;
    a_reviewer_can_end_without_its_checks breaks ReviewWithoutChecks;
    nothing_notices_that_a_sub_agent_failed breaks UnheededFailure;
    a_fan_out_is_no_limit breaks BadLimit;
    a_sub_agent_cannot_ask breaks ConflictingParts;
}

fn dispatching(file: &str, with: &[(&str, &str)], fan_out: FanOut) -> StepDef {
    StepDef {
        dispatch: Some(Dispatch {
            fan_out,
            with: with
                .iter()
                .map(|(name, source)| (field_name(name), expression(source)))
                .collect::<BTreeMap<_, _>>(),
            ..Dispatch::new(AgentRole::Explore, DispatchWork::Workflow(skill_path(file)))
        }),
        ..step("b")
    }
}

/// The same step as a gate that is its own rework step.
fn gated(step: StepDef) -> StepDef {
    let gate = GateConfig {
        name: "Completeness".to_owned(),
        rework: step.id.clone(),
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    };
    StepDef {
        gate: Some(gate),
        ..step.with_transition(Outcome::Fail, "b").unwrap()
    }
}

/// The same step with a quorum.
fn asking_for(quorum: u32, mut step: StepDef) -> StepDef {
    if let Some(dispatch) = &mut step.dispatch {
        dispatch.quorum = Some(quorum);
    }
    step
}

fn for_each(item: &str, limit: u32) -> FanOut {
    FanOut::ForEach {
        list: expression("state.a.targets"),
        item: field_name(item),
        limit,
    }
}

/// A step that lists targets, and a step that dispatches one sub-agent per target.
fn sending(rule: Rule, place: &'static str, sends: StepDef) -> Case {
    let targets = Shape::Array {
        items: Box::new(Shape::text()),
        length: Length::default(),
        unique: None,
    };
    let definition = WorkflowDef::new([step("a").to("b").returns("targets", targets), sends]);
    let needing = WorkflowDef::new([step("look")]).param(Arg::required("target", Shape::text()).unwrap());
    let again = |file| WorkflowDef::new([dispatching(file, &[], FanOut::One)]);
    let package = Package {
        children: [
            ("agents/look.yaml", needing),
            ("agents/one.yaml", again("agents/two.yaml")),
            ("agents/two.yaml", again("agents/one.yaml")),
            ("agents/home.yaml", again("workflow.yaml")),
            ("agents/deep1.yaml", again("agents/deep2.yaml")),
            ("agents/deep2.yaml", again("agents/deep3.yaml")),
            ("agents/deep3.yaml", again("agents/deep4.yaml")),
            ("agents/deep4.yaml", again("agents/deep5.yaml")),
            ("agents/deep5.yaml", WorkflowDef::new([step("look")])),
        ]
        .map(|(file, child)| (skill_path(file), child))
        .into(),
        ..Package::default()
    };
    case_in(rule, place, definition, &package)
}

pub(super) fn cases() -> Vec<Case> {
    let one = || FanOut::One;
    let look = |with, fan_out| dispatching("agents/look.yaml", with, fan_out);
    let workflow = "workflow.yaml steps.b.dispatch.workflow";
    vec![
        sending(
            Rule::DispatchMissing,
            workflow,
            dispatching("agents/loook.yaml", &[], one()),
        ),
        sending(
            Rule::DispatchMisfit,
            "workflow.yaml steps.b.dispatch",
            look(&[], one()),
        ),
        sending(
            Rule::DispatchMisfit,
            "workflow.yaml steps.b.dispatch.with.targt",
            look(&[("targt", "run.id")], one()),
        ),
        sending(
            Rule::DispatchMisfit,
            "workflow.yaml steps.b.dispatch.as",
            look(&[], for_each("thing", 3)),
        ),
        sending(
            Rule::DispatchRecursion,
            workflow,
            dispatching("agents/one.yaml", &[], one()),
        ),
        sending(
            Rule::DispatchRecursion,
            workflow,
            dispatching("agents/home.yaml", &[], one()),
        ),
        sending(
            Rule::DispatchMisfit,
            "workflow.yaml steps.b.dispatch.with.target",
            look(&[("target", "state.a.targets")], one()),
        ),
        sending(
            Rule::DispatchTooDeep,
            workflow,
            dispatching("agents/deep1.yaml", &[], one()),
        ),
        sending(
            Rule::ReviewWithoutFindings,
            workflow,
            gated(dispatching("agents/deep5.yaml", &[], one())),
        ),
        sending(
            Rule::ReviewWithoutChecks,
            workflow,
            gated(dispatching("agents/deep5.yaml", &[], one())),
        ),
        sending(
            Rule::UnheededFailure,
            "workflow.yaml steps.b.next",
            look(&[("target", "run.id")], one()),
        ),
        sending(
            Rule::BadLimit,
            "workflow.yaml steps.b.dispatch.quorum",
            asking_for(3, look(&[], for_each("target", 2))),
        ),
        sending(
            Rule::BadLimit,
            "workflow.yaml steps.b.dispatch.limit",
            look(&[], for_each("target", 0)),
        ),
        sending(
            Rule::ConflictingParts,
            "workflow.yaml steps.b.dispatch",
            look(&[("target", "run.id")], one()).asks(&[]),
        ),
    ]
}
