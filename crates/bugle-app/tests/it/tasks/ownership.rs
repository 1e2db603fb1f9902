//! Task ownership, across an agent's sessions and between agents.

use bugle_app::{AddRequest, TaskScope, tasks};
use bugle_core::id::TaskId;
use bugle_core::task::TaskState;

use crate::project::{Project, agent, refused, start, titled};
use crate::sessions::git;

/// Session ids in the format of real clients.
const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
const SECOND: &str = "00000000-e29b-41d4-a716-446655440000";

/// A project with one task, which the first session has started. If `is_known` is true, a hook has reported that
/// session.
fn at_work(is_known: bool) -> (Project, TaskId) {
    let mut project = Project::new();
    let [task] = project.add(["Write the parser"]);
    project.act_as(Some(FIRST));
    if is_known {
        project.woken("startup");
    }
    project.change(&task, &start(None, false));
    (project, task)
}

/// Adds a task for this agent, as a program.
fn add_for(project: &mut Project, title: &str, name: &str) -> TaskId {
    project.act_as(None);
    let request = AddRequest {
        agent: Some(agent(name)),
        ..titled(&[title])
    };
    project.add_with(&request).remove(0)
}

fn agent_of(project: &mut Project, task: &TaskId) -> String {
    project.show(task).task.agent.unwrap()
}

#[test]
fn a_cleared_session_continues_its_task() {
    for is_known in [true, false] {
        let (mut project, task) = at_work(is_known);
        project.end_session("clear");
        let told = project.begin_session(SECOND, "clear");
        assert!(told.contains("is in progress (you)"), "{told}");
        assert!(told.contains(&format!("bugle task done {task}")), "{told}");
        // Events that were recorded before Bugle knew the session keep the session's id.
        assert!(!is_known || !told.contains(FIRST), "{told}");
        assert!(!told.contains(SECOND), "{told}");
        project.change(&task, &start(None, false));
        assert_eq!(project.state(&task), TaskState::Active);
        project.check();
    }
}

#[test]
fn an_ended_sessions_work_is_resumed_with_the_suggested_command() {
    for is_known in [true, false] {
        let (mut project, task) = at_work(is_known);
        project.end_session("other");
        let told = project.begin_session(SECOND, "startup");
        let take = format!("bugle task start {task}");
        assert!(told.lines().any(|line| line.trim() == take), "{told}");
        assert!(told.contains("but its session has ended"), "{told}");
        project.change(&task, &start(None, false));
        let done = format!("bugle task done {task}");
        assert_eq!(project.show(&task).commands[0].command, done);
        assert!(project.woken("compact").contains("is in progress (you)"));
    }
}

#[test]
fn work_that_may_be_active_needs_an_explicit_takeover() {
    let (mut project, task) = at_work(true);
    let told = project.begin_session(SECOND, "startup");
    let name = agent_of(&mut project, &task);
    assert!(name.starts_with("claude-"), "{name}");
    for words in [
        format!("@{name} is working on this task."),
        format!("`bugle task start {task} --take-over` takes the task over"),
        format!("is in progress (@{name})"),
    ] {
        assert!(told.contains(&words), "{words:?} is not in {told}");
    }
    refused(project.try_change(&task, &start(None, false)), "held");
    project.change(&task, &start(None, true));
    assert!(project.woken("compact").contains("is in progress (you)"));
}

#[test]
fn an_agent_works_under_its_name_and_keeps_its_tasks_when_renamed() {
    let (mut project, task) = at_work(true);
    let generated = agent_of(&mut project, &task);
    project.register("backend");
    assert_eq!(agent_of(&mut project, &task), generated);
    let told = project.woken("compact");
    assert!(
        told.contains("is in progress (you)") && told.contains("@backend"),
        "{told}"
    );
    // A task that was assigned to the agent by name stays assigned.
    let own = add_for(&mut project, "Write the printer", "backend");
    project.act_as(Some(FIRST));
    project.done(&task);
    project.change(&own, &start(None, false));
    assert_eq!(agent_of(&mut project, &own), "backend");
    assert!(project.woken("compact").contains("is in progress (you)"));
    let told = project.begin_session(SECOND, "startup");
    assert!(told.contains("is in progress (@backend)"), "{told}");
}

#[test]
fn a_task_assigned_to_another_agent_is_not_offered() {
    let mut project = Project::new();
    let theirs = add_for(&mut project, "Draw the page", "frontend");
    let start_theirs = format!("bugle task start {theirs}");
    project.begin_session(FIRST, "startup");
    project.register("backend");
    // If there is no other task, the text names the assignee, not the command that starts the task.
    let told = project.woken("compact");
    assert!(told.contains("This task is assigned to frontend."), "{told}");
    assert!(!told.contains(&start_theirs), "{told}");
    let own = add_for(&mut project, "Serve the page", "backend");
    let told = project.begin_session(FIRST, "compact");
    assert!(told.contains(&format!("bugle task start {own}")), "{told}");
    assert!(!told.contains(&start_theirs), "{told}");
    let (store, context) = (&mut project.app.store, &project.app.context);
    let claimed = tasks::claim_task(store, context, &TaskScope::Here, None).unwrap();
    assert_eq!(claimed, Some(own));
    // A caller without a session sees the whole tree, and may start any task.
    project.act_as(None);
    let commands = project.show(&theirs).commands;
    assert!(
        commands.iter().any(|shown| shown.command == start_theirs),
        "{commands:?}"
    );
    project.change(&theirs, &start(None, false));
}

#[test]
fn agents_with_the_same_name_on_two_branches_are_different_agents() {
    let mut project = Project::new();
    project.git_init("main");
    let here = project.app.context.directory.clone();
    let there = here.with_file_name("tree");
    let folder = there.to_str().unwrap();
    git(&here, &["worktree", "add", "--quiet", "-b", "other", folder]);
    let [task] = project.add(["Write the parser"]);
    project.begin_session(FIRST, "startup");
    project.register("backend");
    project.change(&task, &start(None, false));
    project.enter(&there, Some(SECOND));
    project.woken("startup");
    project.register("backend");
    refused(project.try_change(&task, &start(None, false)), "held");
    let told = project.woken("compact");
    assert!(!told.contains("(you)"), "{told}");
    project.enter(&here, Some(FIRST));
    assert!(project.woken("compact").contains("is in progress (you)"));
}
