//! Task ownership, across an agent's sessions and between agents.

use serde_json::{Value, json};

use crate::support::hook_client::Client;
use crate::support::sandbox::{Answer, Sandbox};
use crate::support::tasks::{add_one, shown, task};

/// Session ids in the format of real clients.
const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
const SECOND: &str = "00000000-e29b-41d4-a716-446655440000";

/// Two sessions in a project with one task, which the first session has started.
fn at_work(sandbox: &Sandbox, is_known: bool) -> (Client<'_>, Client<'_>, String) {
    let id = add_one(sandbox, &["Write the parser"]);
    let first = Client::claude(sandbox).session(FIRST);
    if is_known {
        first.begin_session("startup");
    }
    first.run(&["task", "start", &id]).ok();
    (first, first.session(SECOND), id)
}

#[test]
fn a_cleared_session_continues_its_task() {
    for is_known in [true, false] {
        let sandbox = Sandbox::new();
        let (first, next, id) = at_work(&sandbox, is_known);
        first.end_session("clear");
        let told = next.begin_session("clear");
        assert!(told.contains("is in progress (you)"), "{told}");
        assert!(told.contains(&format!("bugle task done {id}")), "{told}");
        // Events that were recorded before Bugle knew the session keep the session's id.
        assert!(!is_known || !told.contains(FIRST), "{told}");
        assert!(!told.contains(SECOND), "{told}");
        let again = next.run(&["task", "start", &id, "--json"]).ok();
        assert_eq!(again.json()["data"]["task"]["state"], "active");
        sandbox.verify();
    }
}

#[test]
fn an_ended_sessions_work_is_resumed_with_the_printed_command() {
    for is_known in [true, false] {
        let sandbox = Sandbox::new();
        let (first, next, id) = at_work(&sandbox, is_known);
        first.end_session("other");
        let told = next.begin_session("startup");
        let take = format!("bugle task start {id}");
        assert!(told.lines().any(|line| line.trim() == take), "{told}");
        assert!(told.contains("but its session has ended"), "{told}");
        let taken = next.run(&["task", "start", &id]).ok().out;
        assert!(taken.contains(&format!("bugle task done {id}")), "{taken}");
        assert!(next.begin_session("compact").contains("is in progress (you)"));
    }
}

#[test]
fn work_that_may_be_active_needs_an_explicit_takeover() {
    let sandbox = Sandbox::new();
    let (_, next, id) = at_work(&sandbox, true);
    let told = next.begin_session("startup");
    let name = shown(&sandbox, &id)["task"]["agent"].as_str().unwrap().to_owned();
    assert!(name.starts_with("claude-"), "{name}");
    assert!(
        told.contains(&format!("@{name} is working on this task.")),
        "{told}"
    );
    assert!(
        told.contains(&format!(
            "`bugle task start {id} --take-over` takes the task over"
        )),
        "{told}"
    );
    assert!(told.contains(&format!("is in progress (@{name})")), "{told}");
    next.run(&["task", "start", &id]).refused("held");
    next.run(&["task", "start", &id, "--take-over"]).ok();
    assert!(next.begin_session("compact").contains("is in progress (you)"));
}

#[test]
fn an_agent_works_under_its_name_and_keeps_its_tasks_when_renamed() {
    let sandbox = Sandbox::new();
    let (first, _, id) = at_work(&sandbox, true);
    let made_up = shown(&sandbox, &id)["task"]["agent"].clone();
    first.run(&["agent", "register", "backend"]).ok();
    assert_eq!(shown(&sandbox, &id)["task"]["agent"], made_up);
    let told = first.begin_session("compact");
    assert!(
        told.contains("is in progress (you)") && told.contains("@backend"),
        "{told}"
    );
    // A task that was assigned to the agent by name stays assigned.
    let own = add_one(&sandbox, &["Write the printer", "--agent", "backend"]);
    first.run(&["task", "done", &id]).ok();
    first.run(&["task", "start", &own]).ok();
    assert_eq!(shown(&sandbox, &own)["task"]["agent"], "backend");
    assert!(first.begin_session("compact").contains("is in progress (you)"));
    let other = Client::claude(&sandbox).session(SECOND);
    assert!(
        other
            .begin_session("startup")
            .contains("is in progress (@backend)")
    );
}

#[test]
fn a_task_assigned_to_another_agent_is_not_offered() {
    let sandbox = Sandbox::new();
    let theirs = add_one(&sandbox, &["Draw the page", "--agent", "frontend"]);
    let client = Client::claude(&sandbox).session(FIRST);
    client.begin_session("startup");
    client.run(&["agent", "register", "backend"]).ok();
    // If there is no other task, the text names the assignee, not the command that starts the task.
    let told = client.begin_session("compact");
    assert!(told.contains("This task is assigned to frontend."), "{told}");
    assert!(!told.contains(&format!("bugle task start {theirs}")), "{told}");
    let own = add_one(&sandbox, &["Serve the page", "--agent", "backend"]);
    let told = client.begin_session("compact");
    assert!(told.contains(&format!("bugle task start {own}")), "{told}");
    assert!(!told.contains(&format!("bugle task start {theirs}")), "{told}");
    assert_eq!(claimed(&client.run(&["task", "claim", "--json"])), own);
    // A person sees the whole tree, and may start any task.
    let shown = sandbox.run(&["task", "show", &theirs]).ok().out;
    assert!(shown.contains(&format!("bugle task start {theirs}")), "{shown}");
    task(&sandbox, &["start", &theirs]);
}

fn claimed(answer: &Answer) -> Value {
    answer.clone().ok().json()["data"]["task"]["id"].clone()
}

#[test]
fn agents_with_the_same_name_on_two_branches_are_different_agents() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let tree = sandbox.work_tree("other");
    let id = add_one(&sandbox, &["Write the parser"]);
    let here = Client::claude(&sandbox).session(FIRST);
    let there = here.session(SECOND);
    here.begin_session("startup");
    there.hook("SessionStart", &json!({ "source": "startup", "cwd": tree }));
    for client in [here, there] {
        client.run(&["agent", "register", "backend"]).ok();
    }
    here.run(&["task", "start", &id]).ok();
    there.run(&["task", "start", &id]).refused("held");
    let told = there.context("SessionStart", &json!({ "source": "compact", "cwd": tree }));
    assert!(!told.contains("(you)"), "{told}");
    assert!(here.begin_session("compact").contains("is in progress (you)"));
}
