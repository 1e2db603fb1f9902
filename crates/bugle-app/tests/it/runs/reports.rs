//! A visit ends once: repeated, late and different reports.

use bugle_app::Stop;
use bugle_core::engine::RunStatus;
use serde_json::json;

use super::{run_of, three, visit_of, word};
use crate::project::refused;
use crate::reviewed::{end, step, stopped, visit};

#[test]
fn repeating_the_last_report_returns_the_end_of_the_run_again() {
    let (mut project, first) = three();
    let second = step(project.end_visit_with(&visit(&first), &word("done")));
    let third = step(project.end_visit_with(&visit(&second), &word("done")));
    let ended = end(project.end_visit(&third));
    assert_eq!(ended.position.status, RunStatus::Completed);
    assert_eq!(end(project.end_visit(&third)), ended);
    project.check();
}

#[test]
fn a_missing_field_and_null_are_the_same_report() {
    let (mut project, first) = three();
    let result = json!({ "word": "one", "aside": null });
    let second = step(project.end_visit_with(&visit(&first), &result));
    for result in [result, word("one")] {
        assert_eq!(step(project.end_visit_with(&visit(&first), &result)), second);
    }
}

#[test]
fn an_empty_result_can_be_repeated_where_none_is_required() {
    let (mut project, first) = three();
    let second = step(project.end_visit_with(&visit(&first), &word("done")));
    let third = step(project.end_visit_with(&visit(&second), &word("done")));
    let ended = end(project.end_visit_with(&visit(&third), &json!({})));
    assert_eq!(end(project.end_visit_with(&visit(&third), &json!({}))), ended);
}

#[test]
fn a_different_result_for_an_ended_visit_is_refused() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("one")));
    let events = project.show_run(&first).timeline;
    let refusal = refused(
        project.end_visit_with(&visit(&first), &word("two")),
        "stale-visit",
    );
    assert!(refusal.message.contains("Nothing was changed"), "{refusal:?}");
    assert_eq!(refusal.position, Some(second.position.clone()));
    assert_eq!(visit(&second), visit_of(&first, 2));
    let next = format!("bugle step {}", first.position.run);
    assert_eq!(refusal.command, Some(next));
    assert_eq!(step(project.current(&run_of(&first))), second);
    assert_eq!(second.action, "The first thing was one.");
    let failed = stopped(visit(&first), Stop::Failed, "no");
    refused(project.finish(failed), "stale-visit");
    assert_eq!(project.show_run(&first).timeline, events);
}

#[test]
fn a_report_that_is_two_steps_late_is_refused_with_the_next_command() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("one")));
    let third = step(project.report(&second, &word("two")));
    let refusal = refused(
        project.end_visit_with(&visit(&first), &word("one")),
        "stale-visit",
    );
    assert_eq!(refusal.position, Some(third.position.clone()));
    let next = format!("bugle step {}", first.position.run);
    assert_eq!(refusal.command, Some(next));
    assert_eq!(step(project.current(&run_of(&first))), third);
    refused(project.end_visit(&first), "stale-visit");
}

#[test]
fn a_report_for_an_unknown_visit_is_refused_with_the_next_command() {
    let (mut project, first) = three();
    let invented = visit_of(&first, 7);
    let refusal = refused(project.end_visit_with(&invented, &word("one")), "unknown-visit");
    assert_eq!(refusal.position, Some(first.position.clone()));
    let next = format!("bugle step {}", first.position.run);
    assert_eq!(refusal.command, Some(next));
    assert_eq!(step(project.current(&run_of(&first))), first);
}
