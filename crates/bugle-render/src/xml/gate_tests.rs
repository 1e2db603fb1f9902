//! Golden outputs of the gate's elements.

use super::*;

const HEADER: StepHeader<'_> = StepHeader {
    skill: "planner",
    run: "r-7f3a",
    visit: "r-7f3a#9",
    step: "review",
    phase: Some("planning"),
    role: "orchestrator",
    title: "Completeness",
};

const CHOICES: [DecisionChoice<'_>; 3] = [
    DecisionChoice {
        decision: HumanDecision::Continue,
        command: "bugle decide 'r-7f3a#9' continue",
    },
    DecisionChoice {
        decision: HumanDecision::Accept,
        command: "bugle decide 'r-7f3a#9' accept",
    },
    DecisionChoice {
        decision: HumanDecision::Abort,
        command: "bugle decide 'r-7f3a#9' abort",
    },
];

fn gate(iteration: u32, outcome: GateOutcome<'_>) -> Gate<'_> {
    Gate {
        checkpoint: "Completeness",
        iteration,
        limit: 5,
        outcome,
    }
}

fn passed(command: Option<&str>) -> GateOutcome<'_> {
    GateOutcome::Passed {
        message: "The plan covers the request.",
        command,
    }
}

fn rework(blocking: &[Severity]) -> GateOutcome<'_> {
    GateOutcome::Rework {
        blocking,
        reworker: Reworker::SubAgent { role: "developer" },
        findings: "bugle findings r-9c1d",
        command: "bugle done 'r-7f3a#9'",
    }
}

fn limit_reached() -> GateOutcome<'static> {
    GateOutcome::LimitReached {
        findings: "bugle findings r-9c1d",
        choices: &CHOICES,
    }
}

fn rendered(elements: &[Element]) -> String {
    let texts: Vec<_> = elements.iter().map(Element::render).collect();
    texts.join("\n")
}

#[test]
fn gate_result_states_the_verdict() {
    let results = [
        gate_result(GateStatus::Pass, "Completeness: passed."),
        gate_result(GateStatus::Fail, "Completeness: 2 findings block."),
    ];
    insta::assert_snapshot!(rendered(&results));
}

#[test]
fn post_qr_routing_for_a_sub_agent() {
    let reworker = Reworker::SubAgent { role: "developer" };
    insta::assert_snapshot!(post_qr_routing(reworker, "bugle done 'r-7f3a#9'").render());
}

#[test]
fn post_qr_routing_for_the_orchestrator() {
    let element = post_qr_routing(Reworker::Orchestrator, "bugle done 'r-7f3a#9'");
    insta::assert_snapshot!(element.render());
}

#[test]
fn gate_actions_after_a_pass() {
    let outcome = passed(Some("bugle done 'r-7f3a#9'"));
    insta::assert_snapshot!(rendered(&gate_actions(&gate(1, outcome))));
}

#[test]
fn gate_actions_for_rework_while_everything_blocks() {
    let outcome = rework(&[Severity::Must, Severity::Should, Severity::Could]);
    insta::assert_snapshot!(rendered(&gate_actions(&gate(1, outcome))));
}

#[test]
fn gate_actions_for_rework_when_fewer_severities_block() {
    let outcome = rework(&[Severity::Should, Severity::Must]);
    insta::assert_snapshot!(rendered(&gate_actions(&gate(4, outcome))));
}

#[test]
fn gate_actions_at_the_limit() {
    insta::assert_snapshot!(rendered(&gate_actions(&gate(5, limit_reached()))));
}

#[test]
fn gate_step_after_a_pass() {
    let gate = gate(2, passed(Some("bugle done 'r-7f3a#9'")));
    insta::assert_snapshot!(gate_step(&HEADER, &gate).render());
}

#[test]
fn gate_step_for_rework() {
    let gate = gate(4, rework(&[Severity::Must, Severity::Should]));
    insta::assert_snapshot!(gate_step(&HEADER, &gate).render());
}

#[test]
fn a_gate_without_a_way_on_prints_no_command_of_its_own() {
    for outcome in [passed(None), limit_reached()] {
        let rendered = gate_step(&HEADER, &gate(5, outcome)).render();
        assert!(!rendered.contains("<invoke_after>") && !rendered.contains("<next"));
    }
}
