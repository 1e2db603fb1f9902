//! Later visits of a step: what the agent returns, what it is shown, and when a loop stops.

use bugle_app::runs;
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{RunNotice, StepView};
use serde_json::{Value, json};

use super::{notices, run_of};
use crate::project::{Project, refused};
use crate::reviewed::{end, step};

const DIGGING: &str = r#"version: 1
steps:
  dig:
    title: Look for causes
    do: |
      {% if not visit.remembered %}Look for causes.{% endif %}
      {% if not visit.first %}{{ changed.dig.causes | items }}{% endif %}
    resources: [methods.md]
    result:
      causes: { type: array, items: { type: object, fields: { id: string, text: string } } }
      sure: boolean
    merge: { causes: id }
    loop: { until: result.sure, limit: 9 }
    next: { ok: tell, iterate: dig }
  tell:
    title: Name the cause
    do: "{{ state.dig.causes | items }}"
    next: end
"#;

fn digging() -> (Project, StepView) {
    let mut project = Project::new();
    project.write(
        ".bugle/skills/digging/resources/methods.md",
        "Ask why five times.",
    );
    project.write_skill("digging", DIGGING);
    project.begin_session("s-dig", "startup");
    project.set_clock(1);
    let first = project.start_skill("digging");
    (project, first)
}

fn cause(id: &str, text: &str) -> Value {
    json!({ "id": id, "text": text })
}

fn found(causes: &[Value]) -> Value {
    json!({ "causes": causes, "sure": false })
}

/// The first visit found two causes. Returns the second visit as `done` printed it.
fn dug() -> (Project, StepView) {
    let (mut project, first) = digging();
    let result = found(&[cause("C1", "the disk is full"), cause("C2", "the clock is wrong")]);
    let again = step(project.report(&first, &result));
    (project, again)
}

fn documents(step: &StepView) -> Vec<&str> {
    step.resources
        .iter()
        .map(|document| document.name.as_str())
        .collect()
}

#[test]
fn a_later_visit_shows_only_what_is_new_to_an_agent_that_remembers() {
    let (mut project, again) = dug();
    assert_eq!(
        again.action.trim(),
        "- C1: text: the disk is full\n- C2: text: the clock is wrong"
    );
    assert!(documents(&again).is_empty());
    let run = run_of(&again);
    let whole = step(project.current(&run));
    assert_eq!(
        notices(&again),
        [format!(
            "This step again, with only what is new. Not repeated: methods.md. To print all of it: bugle step {}",
            again.position.run
        )]
    );
    assert!(whole.action.starts_with("Look for causes."));
    assert_eq!(documents(&whole), ["methods.md"]);
    let third = step(project.report(&again, &found(&[cause("C3", "the cache is stale")])));
    assert_eq!(third.action.trim(), "- C3: text: the cache is stale");
    let whole = step(project.current(&run));
    assert_eq!(
        whole.action.matches("text: ").count(),
        3,
        "an agent that asks again sees everything"
    );
}

#[test]
fn an_agent_that_forgot_sees_the_whole_step() {
    let (mut project, again) = dug();
    project.set_clock(2);
    project.hook("PreCompact", &json!({ "trigger": "auto" }));
    project.woken("compact");
    project.set_clock(3);
    let after_compaction = step(project.report(&again, &found(&[cause("C3", "the cache is stale")])));
    assert!(after_compaction.action.starts_with("Look for causes."));
    assert_eq!(after_compaction.action.matches("text: ").count(), 3);
    assert_eq!(notices(&after_compaction), [""; 0]);
    let next = step(project.report(&after_compaction, &found(&[cause("C4", "the queue is full")])));
    assert_eq!(
        next.action.trim(),
        "- C4: text: the queue is full",
        "the step was shown again since"
    );
}

#[test]
fn another_session_sees_the_whole_step() {
    let (mut project, again) = dug();
    project.begin_session("s-other", "startup");
    project.set_clock(2);
    project.resume(&run_of(&again)).unwrap();
    let third = step(project.report(&again, &found(&[cause("C3", "the cache is stale")])));
    assert!(third.action.starts_with("Look for causes."));
}

#[test]
fn the_outline_says_how_a_later_visit_returns_a_merged_list() {
    let (mut project, again) = dug();
    let outline = again.result.clone().unwrap().outline;
    assert!(
        outline.contains("// `causes`: return only new and changed items; the others stay."),
        "{outline}"
    );
    let unknown = found(&[json!({ "id": "C9", "removed": true })]);
    let refusal = refused(project.report(&again, &unknown), "result-mismatch");
    assert_eq!(
        refusal.details,
        ["causes[0]: cannot remove \"C9\": the list has no such item"]
    );
    let without_one = json!({ "causes": [{ "id": "C1", "removed": true }], "sure": true });
    let told = step(project.report(&again, &without_one));
    assert_eq!(told.action.trim(), "- C2: text: the clock is wrong");
    project.check();
}

#[test]
fn a_loop_without_progress_stops_and_says_so() {
    let (mut project, again) = dug();
    let told = step(project.report(&again, &json!({ "sure": false })));
    assert_eq!(told.title, "Name the cause");
    let stopped = |notice: &RunNotice| matches!(notice, RunNotice::NoProgress { .. });
    assert!(told.notices.iter().any(stopped), "{:?}", told.notices);
    let timeline = project.history(&told);
    assert!(
        timeline
            .iter()
            .any(|line| line.contains("ended with ok, stopped: no progress")),
        "{timeline:?}"
    );
    project.check();
}

#[test]
fn a_visit_shows_what_the_agent_was_asked_and_what_it_returned() {
    let (mut project, again) = dug();
    let returned = found(&[cause("C3", "the cache is stale")]);
    step(project.report(&again, &returned));
    let (store, context) = (&mut project.app.store, &project.app.context);
    let visit = runs::show_visit(store, context, &run_of(&again), VisitNumber(2)).unwrap();
    assert!(visit.prompt.unwrap().starts_with("Look for causes."));
    assert_eq!(visit.returned, Some(returned));
    assert_eq!(visit.merged.unwrap()["causes"].as_array().unwrap().len(), 3);
    let first = runs::show_visit(store, context, &run_of(&again), VisitNumber(1)).unwrap();
    assert_eq!((first.outcome, first.merged), (Some(Outcome::Iterate), None));
}

#[test]
fn problems_outside_a_step_become_tasks_once() {
    let (mut project, first) = digging();
    let problem =
        json!({ "what": "The log is never rotated", "place": "src/log.rs:12", "severity": "should" });
    let wrong = json!({ "causes": [], "sure": true, "also_found": [{ "what": "no place" }] });
    let refusal = refused(project.report(&first, &wrong), "result-mismatch");
    assert_eq!(
        refusal.details,
        ["also_found[0].place: missing; expected text (not empty)"]
    );
    let told = step(project.report(
        &first,
        &json!({ "causes": [], "sure": true, "also_found": [problem] }),
    ));
    let over = end(project.end_visit(&told));
    let command = format!("bugle run found {} --tasks", told.position.run);
    assert_eq!(over.notices, [RunNotice::AlsoFound { count: 1, command }]);
    let (store, context) = (&mut project.app.store, &project.app.context);
    let added = runs::add_found(store, context, &run_of(&told)).unwrap();
    assert_eq!(added.tasks.len(), 1);
    assert!(
        runs::add_found(store, context, &run_of(&told)).is_err(),
        "each problem becomes one task"
    );
    assert_eq!(project.labels(), ["The log is never rotated"]);
    project.check();
}
