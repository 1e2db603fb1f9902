//! Defects of the original, scripted review loop. Each test shows that one of these defects does not occur here.

use bugle_app::Stop;
use bugle_core::id::{VisitNumber, VisitToken};
use bugle_core::reply::ReviewLoopView;
use serde_json::json;

use crate::project::refused;
use crate::reviewed::{
    Reviewed, end, finding, iteration, name, open_findings, request, review, step, stopped, visit,
    with_result,
};

#[test]
fn defect_1_the_iteration_is_not_lost() {
    let mut run = Reviewed::new();
    let mut at = run.start();
    for number in 1..=3 {
        // No printed command contains the iteration. Bugle stores it.
        let gate = run.up_to_review(&at);
        let command = format!("bugle done '{}'", visit(&gate));
        assert_eq!(gate.command.as_deref(), Some(command.as_str()));
        assert_eq!(iteration(&gate), number);
        run.judge(&gate, &[finding("must", "errors")]);
        at = step(run.done(&gate));
        let Some(ReviewLoopView::Rework { iteration, .. }) = at.review_loop else {
            panic!("no rework: {at:?}")
        };
        assert_eq!(iteration, number);
    }
}

#[test]
fn defect_3_the_fixer_sees_the_findings() {
    let mut run = Reviewed::new();
    let begun = run.start();
    let gate = run.up_to_review(&begun);
    run.judge(&gate, &[finding("must", "errors"), finding("could", "naming")]);
    let fixing = step(run.done(&gate));
    let open = open_findings(&fixing);
    let told: Vec<&str> = open
        .iter()
        .map(|finding| finding.finding.element.as_str())
        .collect();
    assert_eq!(told, ["the errors of parse", "the naming of parse"]);
    assert_eq!(open[0].finding.action, "refuse what is not a number");
    // A sub-agent that fixes findings sees them in full; its orchestrator sees only their number.
    let building = run.plan(&fixing, 1);
    assert!(open_findings(&building).is_empty());
    let builder = run.child(&building, 1);
    assert_eq!(open_findings(&builder).len(), 2);
}

#[test]
fn defect_4_severity_matters() {
    let mut run = Reviewed::new();
    let mut at = run.start();
    for number in 1..=4 {
        let gate = run.up_to_review(&at);
        run.judge(&gate, &[finding("could", "errors")]);
        at = step(run.done(&gate));
        let expected = if number < 4 { "plan" } else { "deliver" };
        assert_eq!(name(&at), expected, "in iteration {number}");
    }
}

#[test]
fn defect_6_writer_and_reader_of_a_verdict_use_the_same_words() {
    let mut run = Reviewed::new();
    let begun = run.start();
    let gate = run.up_to_review(&begun);
    for said in [json!({ "verdict": "PASS" }), json!("SATISFIED"), review(&[])] {
        refused(
            run.finish(with_result(visit(&gate), &said)),
            "answers-for-children",
        );
    }
    let failed = run.finish(stopped(visit(&gate), Stop::Failed, "it did not pass"));
    refused(failed, "cannot-fail");
}

#[test]
fn defect_8_a_verdict_is_never_free_text() {
    let mut run = Reviewed::new();
    let begun = run.start();
    let third = VisitToken {
        run: begun.position.run.clone(),
        visit: VisitNumber(3),
    };
    refused(run.finish(request(third)), "unknown-visit");
    let gate = run.up_to_review(&begun);
    // Without a report there is no verdict.
    refused(run.done(&gate), "children-missing");
    let first = run.child(&gate, 1);
    refused(run.done(&gate), "children-missing");
    let second = step(run.done(&first));
    for wrong in [
        json!("PASS"),
        json!({ "checks": ["errors"], "findings": "none" }),
        json!({ "checks": ["errors"], "findings": [{ "severity": "fatal" }] }),
        json!({ "checks": ["errors"], "findings": [finding("blocker", "errors")] }),
    ] {
        refused(run.report(&second, &wrong), "result-mismatch");
    }
    refused(run.done(&gate), "children-missing");
    end(run.report(&second, &review(&[])));
    assert_eq!(name(&step(run.done(&gate))), "deliver");
}
