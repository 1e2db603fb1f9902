//! Whose task it is, from outside: an agent finds its own again whatever its session is called, takes up what was left, is
//! told who has what, and is not sent to do what is meant for another.

use serde_json::{Value, json};

use crate::harness::{Answer, Sandbox};
use crate::hooked::Client;
use crate::tree::{add_one, shown, task};

/// Ids as real clients give them.
const FIRST: &str = "550e8400-e29b-41d4-a716-446655440000";
const SECOND: &str = "00000000-e29b-41d4-a716-446655440000";

fn by(client: Client<'_>, arguments: &[&str]) -> Answer {
    client
        .sandbox
        .run_in_session("CLAUDE_CODE_SESSION_ID", client.session, arguments)
}

fn begins(client: Client<'_>, source: &str) -> String {
    client.context("SessionStart", &json!({ "source": source }))
}

fn ends(client: Client<'_>, reason: &str) {
    client.hook("SessionEnd", &json!({ "reason": reason }));
}

/// Two sessions in a project with one task, of which the first has begun it.
fn at_work(sandbox: &Sandbox, heard_of: bool) -> (Client<'_>, Client<'_>, String) {
    let id = add_one(sandbox, &["Write the parser"]);
    let first = Client::claude(sandbox).session(FIRST);
    if heard_of {
        begins(first, "startup");
    }
    by(first, &["task", "start", &id]).ok();
    (first, first.session(SECOND), id)
}

#[test]
fn an_emptied_session_goes_on_with_its_task() {
    for heard_of in [true, false] {
        let sandbox = Sandbox::new();
        let (first, next, id) = at_work(&sandbox, heard_of);
        ends(first, "clear");
        let told = begins(next, "clear");
        assert!(told.contains("is in progress (you)"), "{told}");
        assert!(told.contains(&format!("bugle task done {id}")), "{told}");
        // What happened before it was heard of keeps the words in which it was written down.
        assert!(!heard_of || !told.contains(FIRST), "{told}");
        assert!(!told.contains(SECOND), "{told}");
        let again = by(next, &["task", "start", &id, "--json"]).ok();
        assert_eq!(again.json()["data"]["task"]["state"], "active");
        sandbox.verify();
    }
}

#[test]
fn what_a_session_left_is_taken_up_at_once_and_by_the_printed_command() {
    for heard_of in [true, false] {
        let sandbox = Sandbox::new();
        let (first, next, id) = at_work(&sandbox, heard_of);
        ends(first, "other");
        let told = begins(next, "startup");
        let take = format!("bugle task start {id}");
        assert!(told.lines().any(|line| line.trim() == take), "{told}");
        assert!(told.contains("whose session is over"), "{told}");
        let taken = by(next, &["task", "start", &id]).ok().out;
        assert!(taken.contains(&format!("bugle task done {id}")), "{taken}");
        assert!(begins(next, "compact").contains("is in progress (you)"));
    }
}

#[test]
fn what_somebody_may_be_at_is_taken_only_by_saying_so() {
    let sandbox = Sandbox::new();
    let (_, next, id) = at_work(&sandbox, true);
    let told = begins(next, "startup");
    let name = shown(&sandbox, &id)["task"]["agent"].as_str().unwrap().to_owned();
    assert!(name.starts_with("claude-"), "{name}");
    assert!(told.contains(&format!("That is @{name}'s task.")), "{told}");
    assert!(
        told.contains(&format!("`bugle task start {id} --take-over` takes it over")),
        "{told}"
    );
    assert!(told.contains(&format!("is in progress (@{name})")), "{told}");
    by(next, &["task", "start", &id]).refused("held");
    by(next, &["task", "start", &id, "--take-over"]).ok();
    assert!(begins(next, "compact").contains("is in progress (you)"));
}

#[test]
fn an_agent_works_under_its_name_and_keeps_its_tasks_with_a_new_one() {
    let sandbox = Sandbox::new();
    let (first, _, id) = at_work(&sandbox, true);
    let made_up = shown(&sandbox, &id)["task"]["agent"].clone();
    by(first, &["agent", "register", "backend"]).ok();
    assert_eq!(shown(&sandbox, &id)["task"]["agent"], made_up);
    let told = begins(first, "compact");
    assert!(
        told.contains("is in progress (you)") && told.contains("@backend"),
        "{told}"
    );
    // What was given to it by name stays so.
    let own = add_one(&sandbox, &["Write the printer", "--agent", "backend"]);
    by(first, &["task", "done", &id]).ok();
    by(first, &["task", "start", &own]).ok();
    assert_eq!(shown(&sandbox, &own)["task"]["agent"], "backend");
    assert!(begins(first, "compact").contains("is in progress (you)"));
    let other = Client::claude(&sandbox).session(SECOND);
    assert!(begins(other, "startup").contains("is in progress (@backend)"));
}

#[test]
fn what_is_meant_for_another_agent_is_not_offered() {
    let sandbox = Sandbox::new();
    let theirs = add_one(&sandbox, &["Draw the page", "--agent", "frontend"]);
    let client = Client::claude(&sandbox).session(FIRST);
    begins(client, "startup");
    by(client, &["agent", "register", "backend"]).ok();
    // If there is nothing else, it is said whose it is, and not how to begin.
    let told = begins(client, "compact");
    assert!(told.contains("It is meant for frontend."), "{told}");
    assert!(!told.contains(&format!("bugle task start {theirs}")), "{told}");
    let own = add_one(&sandbox, &["Serve the page", "--agent", "backend"]);
    let told = begins(client, "compact");
    assert!(told.contains(&format!("bugle task start {own}")), "{told}");
    assert!(!told.contains(&format!("bugle task start {theirs}")), "{told}");
    assert_eq!(claimed(&by(client, &["task", "claim", "--json"])), own);
    // A person sees the tree as it is, and may begin anything.
    let shown = sandbox.run(&["task", "show", &theirs]).ok().out;
    assert!(shown.contains(&format!("bugle task start {theirs}")), "{shown}");
    task(&sandbox, &["start", &theirs]);
}

fn claimed(answer: &Answer) -> Value {
    answer.clone().ok().json()["data"]["task"]["id"].clone()
}

#[test]
fn agents_of_the_same_name_on_two_branches_are_two() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let tree = sandbox.work_tree("other");
    let id = add_one(&sandbox, &["Write the parser"]);
    let here = Client::claude(&sandbox).session(FIRST);
    let there = here.session(SECOND);
    begins(here, "startup");
    there.hook("SessionStart", &json!({ "source": "startup", "cwd": tree }));
    for client in [here, there] {
        by(client, &["agent", "register", "backend"]).ok();
    }
    by(here, &["task", "start", &id]).ok();
    by(there, &["task", "start", &id]).refused("held");
    let told = there.context("SessionStart", &json!({ "source": "compact", "cwd": tree }));
    assert!(!told.contains("(you)"), "{told}");
    assert!(begins(here, "compact").contains("is in progress (you)"));
}
