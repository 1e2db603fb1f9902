//! Bugle checks results against their types.

use bugle_core::engine::Refusal;
use bugle_core::shape::{Length, Range, Shape};
use bugle_core::workflow::Workflow;
use serde_json::{Value, json};

use crate::support::{Build, Drive, begun, brought, done, one_of, optional, required, step, workflow};

fn sorting() -> Workflow {
    let claim = Shape::Object(vec![
        required("text", Shape::text()),
        optional("kind", one_of(&["fact", "guess"])),
    ]);
    let claims = Shape::Array {
        items: Box::new(claim),
        length: Length {
            min: Some(1),
            max: None,
        },
        unique: None,
    };
    let confidence = Shape::Integer(Range {
        min: Some(0.0),
        max: Some(10.0),
    });
    workflow([
        step("a")
            .to("b")
            .returns("claims", claims)
            .may_bring("confidence", confidence),
        step("b"),
    ])
}

fn paths(refusal: Refusal) -> Vec<String> {
    match refusal {
        Refusal::ResultMismatch { mismatches, .. } => {
            mismatches.into_iter().map(|mismatch| mismatch.path).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_result_is_refused() {
    let workflow = sorting();
    let run = begun(&workflow);
    let refusal = run.refusal(done(1));
    assert_eq!(refusal.code(), "result-missing");
    let Refusal::ResultMissing(expected) = refusal else {
        panic!("{refusal:?}");
    };
    assert_eq!(expected.to_string(), "an object {claims, confidence?}");
}

#[test]
fn a_mismatch_has_its_path() {
    let workflow = sorting();
    let run = begun(&workflow);
    let wrong = [
        (json!({}), vec!["claims"]),
        (json!({ "claims": [] }), vec!["claims"]),
        (
            json!({ "claims": [{ "text": "x" }, { "text": 1 }] }),
            vec!["claims[1].text"],
        ),
        (
            json!({ "claims": [{ "kind": "hope" }] }),
            vec!["claims[0].text", "claims[0].kind"],
        ),
        (
            json!({ "claims": [{ "text": "x", "colour": "red" }] }),
            vec!["claims[0].colour"],
        ),
        (
            json!({ "claims": [{ "text": "x" }], "confidence": 11 }),
            vec!["confidence"],
        ),
        (
            json!({ "claims": [{ "text": "x" }], "confidence": 1.5 }),
            vec!["confidence"],
        ),
        (json!({ "claims": [{ "text": "x" }], "more": null }), vec!["more"]),
        (json!(["x"]), vec![""]),
        (Value::Null, vec![""]),
    ];
    for (result, expected) in wrong {
        assert_eq!(
            paths(run.refusal(brought(1, result.clone()))),
            expected,
            "{result}"
        );
    }
}

#[test]
fn an_optional_field_with_null_is_absent() {
    let workflow = sorting();
    let mut run = begun(&workflow);
    run.accept(brought(
        1,
        json!({ "claims": [{ "text": "x", "kind": null }], "confidence": null }),
    ));
    let results = run.state.results_before(run.state.head().unwrap().number);
    assert_eq!(
        Value::Object(results),
        json!({ "a": { "claims": [{ "text": "x" }] } })
    );
}

#[test]
fn a_required_field_cannot_be_null() {
    let workflow = sorting();
    let run = begun(&workflow);
    assert_eq!(
        paths(run.refusal(brought(1, json!({ "claims": null })))),
        ["claims"]
    );
}

#[test]
fn an_undeclared_result_is_refused() {
    let workflow = workflow([step("a").to("b"), step("b")]);
    let mut run = begun(&workflow);
    assert_eq!(
        run.refusal(brought(1, json!({ "claims": [] }))),
        Refusal::ResultUnexpected
    );
    assert_eq!(run.refusal(brought(1, json!("done"))), Refusal::ResultUnexpected);
    // An empty object has no unexpected fields.
    run.accept(brought(1, json!({})));
    assert_eq!(run.at(), "b");
}

#[test]
fn a_refused_result_does_not_move_the_run() {
    let workflow = sorting();
    let mut run = begun(&workflow);
    let before = run.state.clone();
    run.submit(brought(1, json!({}))).unwrap();
    assert_eq!(run.state, before);
}
