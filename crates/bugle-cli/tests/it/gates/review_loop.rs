//! Eight defects of the original review loop, which was scripted. Each test shows that one does not occur here.

use serde_json::json;

use crate::support::review::{finding, judge, last_word, plan, review, reviewed, up_to_review};

#[test]
fn defect_1_the_iteration_is_not_lost() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    for iteration in 1..=3 {
        // No printed command carries the count; Bugle keeps it.
        let gate = up_to_review(&sandbox, &step);
        assert_eq!(gate.command(), format!("bugle done '{}'", gate.visit));
        assert_eq!(gate.banner.as_ref().unwrap().0, iteration);
        judge(&sandbox, &gate, &[finding("must", "errors")]);
        step = sandbox.printed(gate.command()).ok().step();
        assert_eq!(step.banner, Some((iteration, "rework".to_owned())));
    }
}

#[test]
fn defect_2_the_orchestrator_gets_an_instruction() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    let word = judge(&sandbox, &gate, &[finding("must", "errors")]);
    assert_eq!(word.command, gate.command());
    let report = sandbox.printed(&word.report).ok().out;
    assert!(
        report.contains("it accepts anything"),
        "the command in the final message prints the report: {report}"
    );
}

#[test]
fn defect_3_the_fixer_sees_the_findings() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    judge(
        &sandbox,
        &gate,
        &[finding("must", "errors"), finding("could", "naming")],
    );
    let fixing = sandbox.printed(gate.command()).ok().step();
    let told: Vec<&str> = fixing
        .open_findings
        .iter()
        .map(|finding| finding.0.as_str())
        .collect();
    assert_eq!(told, ["the errors of parse", "the naming of parse"]);
    assert_eq!(fixing.open_findings[0].2, "refuse what is not a number");
    // Sub-agents that fix see the findings too; the orchestrator sees only their number.
    let building = plan(&sandbox, &fixing, 1);
    assert!(building.open_findings.is_empty());
    let builder = sandbox.printed(&building.starts[0]).ok().step();
    assert_eq!(builder.open_findings.len(), 2);
}

#[test]
fn defect_4_severity_matters() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    for iteration in 1..=4 {
        let gate = up_to_review(&sandbox, &step);
        judge(&sandbox, &gate, &[finding("could", "errors")]);
        step = sandbox.printed(gate.command()).ok().step();
        let expected = if iteration < 4 { "plan" } else { "deliver" };
        assert_eq!(step.step, expected, "in iteration {iteration}");
    }
}

#[test]
fn defect_5_a_second_visit_says_how_to_fix() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    judge(&sandbox, &gate, &[finding("must", "errors")]);
    let fixing = sandbox.printed(gate.command()).ok().step();
    assert!(
        fixing.action.contains("This is about Soundness."),
        "{}",
        fixing.action
    );
    let again = sandbox.run(&["findings", &gate.visit]).ok().out;
    assert!(again.contains("refuse what is not a number"), "{again}");
}

#[test]
fn defect_6_writer_and_reader_of_a_verdict_use_the_same_words() {
    let sandbox = reviewed();
    let gate = up_to_review(&sandbox, &sandbox.start(&["reviewed"]));
    for said in [json!({ "verdict": "PASS" }), json!("SATISFIED"), review(&[])] {
        let result = said.to_string();
        let answer = sandbox.run(&["done", &gate.visit, "--result", &result]);
        answer.refused("answers-for-children");
    }
    sandbox
        .run(&["done", &gate.visit, "--fail", "it did not pass"])
        .refused("cannot-fail");
}

#[test]
fn defect_7_no_placeholder_is_printed_unfilled() {
    let sandbox = reviewed();
    let mut step = sandbox.start(&["reviewed"]);
    for _ in 0..2 {
        let gate = up_to_review(&sandbox, &step);
        for shown in [
            sandbox.run(&["step", &gate.run]).ok().out,
            sandbox.printed(&gate.starts[0]).ok().out,
        ] {
            assert!(!shown.contains('{') && !shown.contains("N/M"), "{shown}");
        }
        judge(&sandbox, &gate, &[finding("must", "errors")]);
        step = sandbox.printed(gate.command()).ok().step();
    }
}

#[test]
fn defect_8_a_verdict_is_never_free_text() {
    let sandbox = reviewed();
    let step = sandbox.start(&["reviewed"]);
    sandbox
        .run(&["done", &format!("{}#3", step.run)])
        .refused("unknown-visit");
    let gate = up_to_review(&sandbox, &step);
    // Without a report there is no verdict.
    sandbox.printed(gate.command()).refused("children-missing");
    let first = sandbox.printed(&gate.starts[0]).ok().step();
    sandbox.printed(gate.command()).refused("children-missing");
    let second = sandbox.printed(first.command()).ok().step();
    for wrong in [
        json!("PASS"),
        json!({ "checks": ["errors"], "findings": "none" }),
        json!({ "checks": ["errors"], "findings": [{ "severity": "fatal" }] }),
        json!({ "checks": ["errors"], "findings": [finding("blocker", "errors")] }),
    ] {
        sandbox.report(&second, &wrong).refused("result-mismatch");
    }
    sandbox.printed(gate.command()).refused("children-missing");
    last_word(&sandbox.report(&second, &review(&[])).ok());
    assert_eq!(sandbox.printed(gate.command()).ok().step().step, "deliver");
}
