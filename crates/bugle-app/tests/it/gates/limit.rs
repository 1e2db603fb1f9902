//! The limit on review rounds, and the decision that follows.

use bugle_core::engine::RunStatus;
use bugle_core::name::StepId;
use bugle_core::reply::{Author, ReportedWork, ReviewLoopView, RunNotice};
use serde_json::json;

use crate::project::refused;
use crate::reviewed::{Reviewed, end, finding, iteration, name, open_findings, review, step, visit};

#[test]
fn a_reviewer_that_always_objects_is_counted_and_then_a_person_decides() {
    let mut run = Reviewed::new();
    let mut at = run.start();
    // From review 4 on, `could` does not block. From review 5 on, only `must` blocks. One finding of each kind shows
    // this.
    for number in 1..=5 {
        let gate = run.up_to_review(&at);
        assert_eq!(iteration(&gate), number);
        let objections = ["must", "should", "could"].map(|severity| {
            let mut objection = finding(severity, severity);
            objection["category"] = json!("errors");
            objection
        });
        let word = run.judge(&gate, &objections);
        assert_eq!(word.work, ReportedWork::Review(3));
        let next = step(run.done(&gate));
        let verdict = next.verdict.clone().unwrap();
        let blocking = [3, 3, 3, 2, 1][number as usize - 1];
        assert_eq!(
            (verdict.passed, verdict.iteration, verdict.limit, verdict.blocking),
            (false, number, 5, blocking)
        );
        if number < 5 {
            assert_eq!((name(&next), open_findings(&next).len()), ("plan", blocking));
            assert!(
                open_findings(&next).iter().all(|finding| finding.seen == number),
                "{next:?}"
            );
        } else {
            assert_eq!(name(&next), "review");
            let choices = &next.ask.as_ref().unwrap().choices;
            let answers: Vec<&str> = choices.iter().map(|choice| choice.answer.as_str()).collect();
            assert_eq!(answers, ["continue", "accept", "abort"]);
            assert_eq!(next.position.status, RunStatus::Waiting);
        }
        at = next;
    }
}

/// The notice about the user's decision.
fn answered(answer: &str) -> RunNotice {
    RunNotice::Answered {
        step: StepId::new("review").unwrap(),
        answer: answer.to_owned(),
        why: "we ship on Friday".to_owned(),
    }
}

#[test]
fn continue_fixes_and_reviews_once_more() {
    let mut run = Reviewed::new();
    let waiting = run.at_the_limit();
    let fixing = step(run.choose(&waiting, "continue"));
    assert_eq!((name(&fixing), open_findings(&fixing).len()), ("plan", 1));
    assert_eq!(fixing.notices, [answered("continue")]);
    let timeline = run.timeline(&fixing);
    let reasons = timeline
        .iter()
        .filter(|(_, summary)| summary.contains("we ship on Friday"));
    assert_eq!(reasons.count(), 1, "{timeline:?}");
    let building = run.plan(&fixing, 2);
    let builder = run.child(&building, 1);
    assert_eq!(
        builder.notices,
        [RunNotice::FixWanted {
            why: "we ship on Friday".to_owned()
        }],
        "the author sees the reason"
    );
    let gate = run.build(&building);
    assert_eq!(iteration(&gate), 6, "the count continues");
    run.judge(&gate, &[]);
    assert_eq!(name(&step(run.done(&gate))), "deliver");
}

#[test]
fn accept_records_the_findings_as_risks_and_continues_the_run() {
    let mut run = Reviewed::new();
    let waiting = run.at_the_limit();
    let next = step(run.choose(&waiting, "accept"));
    assert_eq!(name(&next), "deliver");
    let verdict = next.verdict.clone().unwrap();
    assert_eq!(
        (verdict.decision.as_deref(), verdict.passed_on_by),
        (Some("accept"), Some(Author::Program))
    );
    assert_eq!(next.notices, [answered("accept")]);
    let timeline = run.timeline(&next);
    let accepted = "accepted the risk of 1 finding: we ship on Friday";
    assert!(
        timeline.iter().any(|(_, summary)| summary.contains(accepted)),
        "{timeline:?}"
    );
    // The same finding no longer blocks when the work is reviewed again.
    let again = step(run.rewind(&next, 1));
    let gate = run.up_to_review(&again);
    let reviewer = run.reviewer(&gate);
    let Some(ReviewLoopView::Review { accepted, .. }) = &reviewer.review_loop else {
        panic!("no review: {reviewer:?}")
    };
    assert_eq!(accepted.len(), 1);
    end(run.report(&reviewer, &review(&[finding("must", "errors")])));
    assert_eq!(name(&step(run.done(&gate))), "deliver");
}

#[test]
fn a_decision_needs_a_reason_and_names_who_made_it() {
    let mut run = Reviewed::new();
    let waiting = run.at_the_limit();
    let at = visit(&waiting).to_string();
    refused(run.decide(&at, "accept", None), "empty");
    refused(run.decide(&at, "perhaps", Some("x")), "bad-choice");
    let by_run = waiting.position.run.to_string();
    let next = step(run.decide(&by_run, "accept", Some("a known risk")));
    assert_eq!(name(&next), "deliver");
    step(run.decide(&at, "accept", None));
    refused(run.decide(&at, "abort", Some("no")), "stale-visit");
    let timeline = run.timeline(&next);
    let accepted = timeline
        .iter()
        .find(|(_, summary)| summary.contains("accepted the risk"));
    assert!(accepted.is_some_and(|(by, _)| !by.is_empty()), "{timeline:?}");
}

#[test]
fn a_reviewer_that_objects_once_causes_one_rework() {
    let mut run = Reviewed::new();
    let mut visited = vec!["plan".to_owned()];
    let mut at = run.start();
    for objection in [vec![finding("should", "naming")], Vec::new()] {
        let gate = run.up_to_review(&at);
        run.judge(&gate, &objection);
        at = step(run.done(&gate));
        visited.extend(["build".to_owned(), "review".to_owned(), name(&at).to_owned()]);
    }
    assert_eq!(visited.join(" "), "plan build review plan build review deliver");
    end(run.done(&at));
    run.0.check();
}
