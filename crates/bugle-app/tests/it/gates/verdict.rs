//! The required content of a review.

use bugle_app::{RunSelector, runs};
use bugle_core::reply::{ReviewLoopView, StepView};
use serde_json::json;

use crate::project::refused;
use crate::reviewed::{Reviewed, end, finding, name, review, step, visit, with_result};

/// The checks that a reviewer's report must cover.
#[track_caller]
fn fixed_checks(reviewer: &StepView) -> &[String] {
    match &reviewer.review_loop {
        Some(ReviewLoopView::Review { checks, .. }) => checks,
        other => panic!("not a review: {other:?}"),
    }
}

#[test]
fn the_first_review_sets_the_checks_and_only_a_must_adds_to_them() {
    let mut run = Reviewed::new();
    let mut at = run.start();
    let rounds = [
        (vec![finding("could", "naming")], "plan"),
        // This finding does not block: the first review did not cover it, and it is not a `must`.
        (vec![finding("should", "layout")], "deliver"),
    ];
    for (number, (objection, next)) in rounds.into_iter().enumerate() {
        let gate = run.up_to_review(&at);
        let reviewer = run.reviewer(&gate);
        if number == 0 {
            assert!(
                fixed_checks(&reviewer).is_empty(),
                "the first review is free to choose: {reviewer:?}"
            );
        } else {
            assert_eq!(fixed_checks(&reviewer), ["errors", "naming"]);
            let shown = format!("{reviewer:?}");
            assert!(
                !shown.contains("the naming of parse"),
                "no reviewer sees earlier findings: {shown}"
            );
        }
        end(run.report(&reviewer, &review(&objection)));
        at = step(run.done(&gate));
        assert_eq!(name(&at), next);
    }
    let again = step(run.rewind(&at, 4));
    let gate = run.up_to_review(&again);
    run.judge(&gate, &[finding("must", "layout")]);
    assert_eq!(name(&step(run.done(&gate))), "plan", "a new must blocks");
}

#[test]
fn a_review_that_omits_fixed_checks_is_refused_with_the_missing_ones() {
    let mut run = Reviewed::new();
    let begun = run.start();
    let gate = run.up_to_review(&begun);
    run.judge(&gate, &[finding("must", "errors")]);
    let reworked = step(run.done(&gate));
    let again = run.up_to_review(&reworked);
    let judging = run.reviewer(&again);
    let partial = json!({ "checks": ["Naming"], "findings": [] });
    let refusal = refused(run.report(&judging, &partial), "checks-missing");
    assert_eq!(refusal.details, ["missing: errors"]);
    assert_eq!(refusal.command, judging.command);
    let given = refused(
        run.finish(with_result(visit(&judging), &partial)),
        "checks-missing",
    );
    assert!(given.remedy.contains("`checks` in the result"), "{given:?}");
    let with_result = format!("{} --result JSON", judging.command.as_deref().unwrap());
    assert_eq!(given.command, Some(with_result));
    let whole = json!({ "checks": ["naming", "errors", "tests"], "findings": [] });
    end(run.report(&judging, &whole));
    step(run.done(&again));
    let mut checks = |gate: &StepView| {
        let selector = RunSelector::Visit(visit(gate));
        let (store, context) = (&mut run.0.app.store, &run.0.app.context);
        runs::findings(store, context, &selector).unwrap().checks
    };
    assert_eq!(checks(&gate), ["errors", "naming"]);
    assert_eq!(
        checks(&again),
        ["naming", "errors", "tests"],
        "only the reported checks"
    );
    run.0.check();
}
