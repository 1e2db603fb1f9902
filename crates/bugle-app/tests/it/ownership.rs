//! Runs that change hands between agents.

use bugle_app::{App, RunSelector, runs};
use bugle_render::author_text;

use crate::project::Project;

/// A session id in the format of real clients.
const LONG: &str = "550e8400-e29b-41d4-a716-446655440000";

/// A project in which the session's agent, `impl`, has started a run. Returns the run.
fn with_run(session: &str) -> (Project, RunSelector) {
    let mut project = Project::new();
    project.act_as(Some(session));
    let run = RunSelector::Run(project.start_run());
    project.woken("startup");
    project.register("impl");
    (project, run)
}

#[test]
fn the_owner_of_a_run_sees_who_took_the_run_over() {
    let (mut project, run) = with_run(LONG);
    project.begin_session("other", "startup");
    let App { store, context } = &mut project.app;
    runs::resume(store, context, &run).unwrap();
    project.act_as(Some(LONG));
    assert_eq!(
        project.stop(),
        None,
        "the message does not make the agent continue"
    );
    let RunSelector::Run(id) = &run else {
        unreachable!()
    };
    let taken = format!(
        "@other has taken over your run {id} of one. Don't continue the run. To take it back: bugle run resume {id}"
    );
    let text = project.prompt("go on");
    assert!(text.contains(&taken), "{text}");
    assert_eq!(project.prompt("go on"), "");
}

#[test]
fn a_runs_timeline_names_agents_and_not_sessions() {
    let (mut project, run) = with_run(LONG);
    let App { store, context } = &mut project.app;
    let detail = runs::show(store, context, &run).unwrap();
    assert!(!detail.timeline.is_empty());
    for entry in detail.timeline {
        assert_eq!(author_text::author(&entry.by), "agent impl");
    }
    // The agent continues in another session.
    project.end_session("clear");
    project.begin_session("11111111-e29b-41d4-a716-446655440000", "clear");
    let App { store, context } = &mut project.app;
    let detail = runs::show(store, context, &run).unwrap();
    assert_eq!(author_text::author(&detail.timeline[0].by), "agent impl");
}
