//! A stop is refused while a step is open, but only a limited number of times.

use bugle_app::runs;
use bugle_core::engine::RunStatus;
use serde_json::json;

use super::{ASKING, GUARDED, SENDING, in_session, seen};
use crate::reviewed::{end, step};

/// A step that ends as soon as its file exists, followed by another step.
const FILED: &str = "
version: 1
steps:
  write:
    title: Write the notes
    do: Write notes.md.
    expect:
      - artifact: notes.md
    next: read
  read:
    title: Read them again
    do: Read notes.md.
    next: end
";

#[test]
fn a_prompt_from_the_user_repeats_the_step() {
    let (mut project, first) = in_session("guarded", GUARDED);
    project.stop_until_released("Look around");
    assert_eq!(project.status_of_step(&first), RunStatus::Waiting);
    project.prompt("go on");
    assert_eq!(project.status_of_step(&first), RunStatus::Active);
    project.stop_until_released("Look around");
    assert_eq!(project.status_of_step(&first), RunStatus::Waiting);
    // `bugle run resume` does the same.
    project.resumed(&first);
    assert_eq!(project.status_of_step(&first), RunStatus::Active);
    project.check();
}

#[test]
fn a_question_to_a_person_stays_open_whatever_is_reported() {
    let (mut project, choose) = in_session("asking", ASKING);
    project.prompt("go on");
    assert_eq!(project.status_of_step(&choose), RunStatus::Waiting);
}

#[test]
fn progress_resets_the_recovery_limit() {
    let (mut project, first) = in_session("guarded", GUARDED);
    for _ in 0..3 {
        assert!(project.stop_again().is_some());
    }
    let next = step(project.report(&first, &seen()));
    for _ in 0..3 {
        let text = project.stop_again().unwrap();
        assert!(text.contains("Change it"), "{text}");
    }
    assert_eq!(project.stop_again(), None);
    assert_eq!(project.status_of_step(&next), RunStatus::Waiting);
}

#[test]
fn a_stop_after_a_compaction_without_a_wake_up_is_refused_with_the_wake_up() {
    let (mut project, first) = in_session("guarded", GUARDED);
    for event in ["PreCompact", "PostCompact"] {
        project.hook(event, &json!({}));
    }
    let text = project.stop().unwrap();
    for part in [
        "The session was compacted",
        "Look around",
        first.command.as_ref().unwrap(),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = project.stop_again().unwrap();
    assert!(!text.contains("The session was compacted"), "{text}");
}

#[test]
fn without_open_work_an_agent_stops_at_once() {
    let (mut project, first) = in_session("guarded", GUARDED);
    let next = step(project.report(&first, &seen()));
    end(project.end_visit(&next));
    assert_eq!(project.stop(), None);
    // Another session's run does not keep the agent from stopping.
    project.act_as(Some("session-two"));
    project.start_skill("guarded");
    project.act_as(Some(super::SESSION));
    assert_eq!(project.stop(), None);
}

#[test]
fn a_question_to_a_person_lets_the_agent_stop() {
    let (mut project, _) = in_session("asking", ASKING);
    assert_eq!(project.stop(), None);
}

#[test]
fn an_answer_in_a_terminal_reaches_the_agent_once_with_its_next_hook() {
    let (mut project, choose) = in_session("asking", ASKING);
    let run = bugle_app::RunSelector::Run(choose.position.run.clone());
    assert_eq!(project.stop(), None);
    assert_eq!(project.prompt("and?"), "", "there is no answer yet");
    project.act_as(None);
    step(project.decide(&run, Some("left, mostly"), None));
    project.act_as(Some(super::SESSION));
    let text = project.prompt("go on");
    let next = format!("bugle step {}", choose.position.run);
    for part in ["the user has answered", "\"left, mostly\"", &next] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(project.prompt("go on"), "", "the answer arrives once");
}

#[test]
fn working_sub_agents_let_the_orchestrator_stop() {
    let (mut project, send) = in_session("sending", SENDING);
    assert!(project.stop().is_some(), "no sub-agent was started yet");
    let token = format!("{}/1", crate::reviewed::visit(&send)).parse().unwrap();
    let (store, context) = (&mut project.app.store, &project.app.context);
    let child = step(runs::start_child(store, context, &token));
    assert_eq!(project.stop_again(), None, "a sub-agent is working");
    project.report(&child, &json!({ "report": "looked" })).unwrap();
    let text = project.stop().unwrap();
    assert!(text.contains(send.command.as_ref().unwrap()), "{text}");
}

#[test]
fn a_step_ends_by_itself_when_its_files_exist() {
    let (mut project, first) = in_session("filed", FILED);
    let text = project.stop().unwrap();
    assert!(
        text.contains("Write the notes"),
        "the file does not exist: {text}"
    );
    project.write("notes.md", "seen");
    let text = project.stop_again().unwrap();
    assert!(text.contains("Read them again"), "{text}");
    let position = project.show_run(&first).summary.position;
    assert_eq!(position.step.as_deref(), Some("read"));
    project.check();
}
