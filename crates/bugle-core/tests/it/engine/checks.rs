//! A result with the right shape must also pass the step's checks.

use bugle_core::engine::{FailedCheck, Refusal, RunState};
use bugle_core::pattern::Pattern;
use bugle_core::shape::{Length, Shape, Unique};
use bugle_core::workflow::Workflow;
use bugle_testkit::spelling::{expression, field_name};
use serde_json::json;

use crate::support::{Build, Drive, begun, brought, one_of, required, step, workflow};

fn list(items: Shape, unique: Option<Unique>) -> Shape {
    Shape::Array {
        items: Box::new(items),
        length: Length::default(),
        unique,
    }
}

/// Lists approaches, then chooses one of them.
fn choosing() -> Workflow {
    let id = Shape::Pattern(Pattern::new("A[0-9]+").unwrap(), Length::default());
    let approach = Shape::Object(vec![required("id", id.clone()), required("text", Shape::text())]);
    let named = Unique::Field(field_name("id"));
    let listing = step("list")
        .to("choose")
        .returns("approaches", list(approach, Some(named)))
        .checked(
            expression("result.approaches.all(a, size(a.text) > 10)"),
            "Each approach is a sentence.",
        )
        .checked(
            expression("size(result.approaches) < 4"),
            "There are few approaches.",
        );
    let choosing = step("choose")
        .returns("chosen", id)
        .returns("sure", one_of(&["high", "low"]))
        .checked(
            expression("result.chosen in state.list.approaches.map(a, a.id)"),
            "The choice is one of the approaches.",
        )
        .checked(
            expression("state.list.approaches[2].id != result.chosen"),
            "The third approach is out.",
        );
    workflow([listing, choosing])
}

fn said(refusal: Refusal) -> Vec<(String, bool)> {
    match refusal {
        Refusal::ChecksFailed { failed, .. } => failed
            .into_iter()
            .map(|check| (check.say, check.error.is_some()))
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn sentence(id: &str) -> serde_json::Value {
    json!({ "id": id, "text": "A sentence about it." })
}

#[test]
fn every_check_that_fails_is_reported_at_once() {
    let workflow = choosing();
    let run = begun(&workflow);
    let short = json!({ "approaches": [
        { "id": "A1", "text": "x" }, sentence("A2"), sentence("A3"), sentence("A4"),
    ] });
    let refusal = run.refusal(brought(1, short));
    assert_eq!(refusal.code(), "checks-failed");
    let Refusal::ChecksFailed { failed, .. } = &refusal else {
        panic!("{refusal:?}");
    };
    let items = |check: &FailedCheck| -> Vec<String> {
        let items = check.items.iter();
        items.map(|item| item.path.clone()).collect()
    };
    let items: Vec<Vec<String>> = failed.iter().map(items).collect();
    assert_eq!(items, [vec!["result.approaches[0]".to_owned()], Vec::new()]);
    assert_eq!(
        said(refusal),
        [
            ("Each approach is a sentence.".to_owned(), false),
            ("There are few approaches.".to_owned(), false)
        ]
    );
}

#[test]
fn the_shape_is_checked_before_the_checks() {
    let workflow = choosing();
    let run = begun(&workflow);
    let wrong = json!({ "approaches": [{ "id": "one", "text": "x" }, sentence("A2"), sentence("A2")] });
    let Refusal::ResultMismatch { mismatches, .. } = run.refusal(brought(1, wrong)) else {
        panic!("the ids are wrong");
    };
    let shown: Vec<String> = mismatches.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "approaches[0].id: expected text that matches `A[0-9]+`, found \"one\"",
            "approaches[2].id: \"A2\" duplicates approaches[1].id",
        ]
    );
}

#[test]
fn a_reference_to_an_earlier_result_must_exist() {
    let workflow = choosing();
    let mut run = begun(&workflow);
    run.accept(brought(
        1,
        json!({ "approaches": [sentence("A1"), sentence("A2"), sentence("A3")] }),
    ));
    let choice = |id: &str| json!({ "chosen": id, "sure": "high" });
    assert_eq!(
        said(run.refusal(brought(2, choice("A9")))),
        [("The choice is one of the approaches.".to_owned(), false)]
    );
    let before: RunState = run.state.clone();
    run.submit(brought(2, choice("A9"))).unwrap();
    assert_eq!(run.state, before);
    run.accept(brought(2, choice("A2")));
    assert!(run.state.current().is_none());
}

#[test]
fn a_check_that_cannot_be_evaluated_is_refused_with_the_reason() {
    let workflow = choosing();
    let mut run = begun(&workflow);
    run.accept(brought(1, json!({ "approaches": [sentence("A1")] })));
    let refusal = run.refusal(brought(2, json!({ "chosen": "A1", "sure": "high" })));
    assert_eq!(said(refusal), [("The third approach is out.".to_owned(), true)]);
}
