//! Defects of the original, scripted review loop. Each test shows that Bugle does not have one of them. Most of these
//! tests are in `bugle-app` and call the use cases directly.

use crate::support::review::{finding, judge, reviewed, up_to_review};

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
