//! Rules about a step's parts.

use bugle_core::outcome::Outcome::{Fail, Iterate};
use bugle_core::shape::Shape;
use bugle_core::tool::ToolPolicy;
use bugle_core::validate::{Package, Rule};
use bugle_core::workflow::{Evidence, GateConfig, StepDef, WorkflowDef};
use bugle_testkit::spelling::step_id;

use super::{Case, case, case_in, rules};
use crate::support::{Build, step};

rules! {
    parts_exclude_each_other breaks ConflictingParts;
    no_client_has_the_tool breaks UnknownTool;
    evidence_cannot_be_checked breaks BadEvidence;
    a_convention_is_not_there breaks MissingConvention;
}

fn titled(id: &str, title: &str) -> StepDef {
    StepDef {
        title: title.to_owned(),
        ..step(id)
    }
}

fn with_tools(policy: fn(Vec<String>) -> ToolPolicy, tools: &[&str]) -> StepDef {
    StepDef {
        tools: policy(tools.iter().map(|tool| (*tool).to_owned()).collect()),
        ..step("a")
    }
}

fn expecting(evidence: Evidence) -> StepDef {
    StepDef {
        expect: vec![evidence],
        ..step("a")
    }
}

fn artifact(pattern: &str) -> Evidence {
    Evidence::Artifact {
        pattern: pattern.to_owned(),
        existing: false,
    }
}

fn command(line: &str, timeout_seconds: u32) -> Evidence {
    Evidence::Command {
        line: line.to_owned(),
        timeout_seconds,
    }
}

fn following(convention: &str) -> Case {
    let step = StepDef {
        conventions: vec!["structure".to_owned(), convention.to_owned()],
        ..step("a")
    };
    let package = Package {
        conventions: ["severity", "structure"].map(str::to_owned).into(),
        ..Package::default()
    };
    let place = "workflow.yaml steps.a.conventions.1";
    case_in(Rule::MissingConvention, place, WorkflowDef::new([step]), &package)
}

pub(super) fn cases() -> Vec<Case> {
    let often = "visit.iteration > 2";
    let mut gated = step("b").until(often, 3).on(Iterate, "b").on(Fail, "a");
    gated.gate = Some(GateConfig {
        name: "Completeness".to_owned(),
        rework: step_id("a"),
        limit: 3,
        blocks: bugle_core::review::Severity::default(),
    });
    let conflict = |place, steps: Vec<StepDef>| case(Rule::ConflictingParts, place, steps);
    let evidence = |evidence| {
        case(
            Rule::BadEvidence,
            "workflow.yaml steps.a.expect.0",
            [expecting(evidence)],
        )
    };
    vec![
        conflict("workflow.yaml steps.a.title", vec![titled("a", " ")]),
        conflict(
            "workflow.yaml steps.a.result",
            vec![step("a").asks(&[]).returns("f", Shape::Boolean)],
        ),
        conflict(
            "workflow.yaml steps.a.expect",
            vec![expecting(artifact("x.md")).asks(&[])],
        ),
        conflict(
            "workflow.yaml steps.a.loop",
            vec![step("a").asks(&[]).until(often, 2).on(Iterate, "a")],
        ),
        conflict("workflow.yaml steps.b.loop", vec![step("a").to("b"), gated]),
        conflict(
            "workflow.yaml steps.a.route",
            vec![step("a").when(often, Iterate).on(Iterate, "end")],
        ),
        conflict(
            "workflow.yaml steps.a.ask.choices",
            vec![step("a").asks(&["yes", "yes"])],
        ),
        conflict(
            "workflow.yaml steps.a.ask.choices",
            vec![step("a").asks(&["yes", " "])],
        ),
        case(
            Rule::UnknownTool,
            "workflow.yaml steps.a.tools.deny.1",
            [with_tools(ToolPolicy::Deny, &["Write", "edit"])],
        ),
        case(
            Rule::UnknownTool,
            "workflow.yaml steps.a.tools.allow.0",
            [with_tools(
                ToolPolicy::Allow,
                &["mcp__server", "mcp__server__tool"],
            )],
        ),
        evidence(artifact("")),
        evidence(artifact("/etc/passwd")),
        evidence(artifact("docs/../../secret")),
        evidence(command(" ", 10)),
        evidence(command("make", 0)),
        evidence(command("make", 3601)),
        following("strcture"),
        following("something else"),
    ]
}
