//! A long run that is read from a snapshot and the later events is the same as one replayed from the start.

use serde_json::json;

use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;

const CLIMB: &str = "
version: 1
steps:
  name:
    title: Name it
    do: Name it.
    result:
      word: { type: string, min: 1 }
    next: climb
  climb:
    title: Climb
    do: 'Climb {{ state.name.word }}, round {{ visit.iteration }}.'
    result:
      height: { type: integer }
    loop: { until: 'result.height > 1000', limit: 90 }
    next: { ok: look, iterate: climb }
  look:
    title: Look around
    do: 'Look around from {{ state.climb.height }}.'
    next: end
";

/// A run in its 60th round, with 125 events and therefore one stored snapshot.
fn climbing() -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("climb", CLIMB);
    let first = sandbox.start(&["climb"]);
    let mut step = sandbox.report(&first, &json!({ "word": "Eiger" })).ok().step();
    for height in 1..60 {
        step = sandbox.report(&step, &json!({ "height": height })).ok().step();
    }
    (sandbox, step)
}

#[test]
fn a_long_run_prints_the_same_with_and_without_its_snapshot() {
    let (sandbox, step) = climbing();
    let said = |words: &[&str]| sandbox.run(words).ok().out;
    let asked: [&[&str]; 2] = [&["step", &step.run], &["show", &step.run]];
    let with: Vec<String> = asked.iter().map(|words| said(words)).collect();
    assert!(with[0].contains("Climb Eiger, round 60."), "{}", with[0]);
    assert_eq!(sandbox.sql_count("DELETE FROM snapshot"), 1);
    let without: Vec<String> = asked.iter().map(|words| said(words)).collect();
    assert_eq!(with, without);
    sandbox.verify();
}

#[test]
fn a_long_run_ends_at_its_limit_and_remembers_its_first_result() {
    let (sandbox, mut step) = climbing();
    for height in 60..=90 {
        step = sandbox.report(&step, &json!({ "height": height })).ok().step();
    }
    assert_eq!(step.title, "Look around");
    sandbox.verify();
}

#[test]
fn a_report_for_a_visit_long_ago_is_refused() {
    let (sandbox, step) = climbing();
    let visit = format!("{}#5", step.run);
    sandbox
        .run(&["done", &visit, "--result", r#"{"height": 4}"#])
        .refused("stale-visit");
    sandbox.verify();
}

#[test]
fn a_long_run_can_be_rewound_to_a_visit_long_ago() {
    let (sandbox, step) = climbing();
    let back = sandbox
        .run_as_person(&["rewind", &format!("{}#2", step.run)])
        .ok()
        .out;
    assert!(back.contains("Climb Eiger, round 1."), "{back}");
    let again = sandbox.run(&["step", &step.run]).ok().step();
    let next = sandbox.report(&again, &json!({ "height": 7 })).ok().out;
    assert!(next.contains("round 2."), "{next}");
    sandbox.verify();
}

#[test]
fn an_edited_snapshot_is_not_used_and_is_reported() {
    let (sandbox, step) = climbing();
    let edit = "UPDATE snapshot SET body = replace(body, 'Eiger', 'Eigen')";
    assert_eq!(sandbox.sql_count(edit), 1);
    let said = sandbox.run(&["step", &step.run]).ok().out;
    assert!(said.contains("Climb Eiger, round 60."), "{said}");
    let verified = sandbox.run(&["store", "verify"]).exits(1).out;
    let fault = format!("run {}: the snapshot was changed outside Bugle", step.run);
    assert!(verified.contains(&fault), "{verified}");
}
