//! Joins: each sub-agent counts by its outcome, and an open question keeps the step open.

use bugle_app::{DoneRequest, Reply, RunSelector, Stop, runs};
use bugle_core::engine::Escalation;
use bugle_core::reply::{StepView, TimelineKind};
use serde_json::{Value, json};

use crate::project::refused;
use crate::reviewed::{REVIEWED, Reviewed, end, name, request, step, stopped, visit};

/// The project at the step that builds this many parts.
fn building(parts: usize) -> (Reviewed, StepView) {
    let mut run = Reviewed::new();
    let begun = run.start();
    let building = run.plan(&begun, parts);
    (run, building)
}

/// Starts a sub-agent and stops it for this reason.
fn escalate(run: &mut Reviewed, parent: &StepView, slot: u32, why: &str) {
    let child = run.child(parent, slot);
    let how = Stop::Escalated(Escalation::Blocked);
    end(run.finish(stopped(visit(&child), how, why)));
}

fn end_unanswered(run: &mut Reviewed, parent: &StepView) -> Result<Reply, bugle_app::AppError> {
    run.finish(DoneRequest {
        unanswered: true,
        ..request(visit(parent))
    })
}

/// The result of the visit that ended last.
fn last_join(run: &mut Reviewed, step: &StepView) -> Value {
    let selector = RunSelector::Run(step.position.run.clone());
    let shown = runs::show(&mut run.0.app.store, &run.0.app.context, &selector).unwrap();
    let mut timeline = shown.timeline.into_iter();
    let ended = timeline.rfind(|entry| entry.kind() == TimelineKind::Ended);
    bugle_render::timeline_text::details(&ended.unwrap().change).unwrap()
}

fn outcomes(joined: &Value) -> Vec<&str> {
    let children = joined["children"].as_array().unwrap();
    let outcomes = children.iter().map(|child| child["outcome"].as_str().unwrap());
    outcomes.collect()
}

#[test]
fn a_step_ends_with_an_open_question_only_if_it_is_recorded_as_not_done() {
    let (mut run, building) = building(2);
    run.build_part(&building, 2);
    escalate(&mut run, &building, 1, "no access");
    let refusal = refused(run.done(&building), "children-asking");
    let [question, end] = refusal.details.as_slice() else {
        panic!("{refusal:?}");
    };
    let retry = format!("bugle run retry '{}/1'", visit(&building));
    assert!(
        question.contains("no access") && question.ends_with(&retry),
        "{refusal:?}"
    );
    let end = end.rsplit(": ").next().unwrap();
    assert_eq!(end, format!("bugle done '{}' --unanswered", visit(&building)));
    let selector = RunSelector::Here;
    let (store, context) = (&mut run.0.app.store, &run.0.app.context);
    let shown = step(runs::step(store, context, &selector));
    let unanswered = shown.dispatch.unwrap().unanswered;
    assert_eq!(unanswered.as_deref(), Some(end), "the step also has the command");
    let gate = step(end_unanswered(&mut run, &building));
    assert_eq!(name(&gate), "review");
    let joined = last_join(&mut run, &building);
    let counts = ["finished", "escalated", "missing"].map(|count| joined[count].clone());
    assert_eq!(counts, [json!(1), json!(1), json!(0)]);
    assert_eq!(outcomes(&joined), ["escalated", "finished"]);
    assert_eq!(joined["children"][0]["reason"], json!("no access"));
    run.0.check();
    // Only a sub-agent can escalate.
    let how = Stop::Escalated(Escalation::Blocked);
    refused(run.finish(stopped(visit(&gate), how, "no")), "not-a-child");
}

#[test]
fn a_gate_needs_every_review_and_offers_no_way_around_an_open_question() {
    let (mut run, building) = building(1);
    let gate = run.build(&building);
    escalate(&mut run, &gate, 1, "no access");
    let refusal = refused(run.done(&gate), "children-asking");
    assert_eq!(refusal.details.len(), 1, "{refusal:?}");
    assert!(!refusal.details[0].contains("--unanswered"), "{refusal:?}");
    refused(end_unanswered(&mut run, &gate), "report-without-findings");
}

#[test]
fn a_failed_join_follows_its_edge_in_next() {
    let way = REVIEWED.replacen("next: review\n", "next: { ok: review, fail: salvage }\n", 1);
    assert_ne!(way, REVIEWED);
    let salvage = "  salvage:\n    title: Salvage it\n    do: Keep what was built.\n    next: end\n";
    let mut run = Reviewed::with(&format!("{way}{salvage}"));
    let begun = run.start();
    let building = run.plan(&begun, 2);
    run.build_part(&building, 1);
    escalate(&mut run, &building, 2, "no access");
    assert_eq!(name(&step(end_unanswered(&mut run, &building))), "salvage");
    run.0.check();
}
