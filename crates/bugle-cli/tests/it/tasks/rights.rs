//! Permission to start, close, skip and remove tasks by hand.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Answer, Sandbox, answer};
use crate::support::tasks::{add_one, id_of, shown, state, task};
use crate::support::workflows::{ONE_BY_ONE, WAVES};

const PLAN: &str = "# Small plan\n\n### Task 1: Add the parser\n\n### Task 2: Add the printer\n\n\
    ### Task 3: Add the tests\n\nNo dependencies\n";

/// A workflow whose sub-agents build the ready tasks, once.
fn one_wave() -> String {
    let (build, _) = WAVES.split_once("    loop:").unwrap();
    format!(
        "{build}    next: look
  look: {{ title: Look at it, do: Look., next: end }}
"
    )
}

/// Every command that could end the work on a task or take the task over.
const BY_HAND: [&[&str]; 8] = [
    &["done"],
    &["fail", "--why", "no luck"],
    &["block", "--why", "no key"],
    &["skip"],
    &["rm"],
    &["reopen"],
    &["start"],
    &["start", "--take-over"],
];

fn by(client: Client<'_>, words: &[&str]) -> Answer {
    let mut command = client.sandbox.bugle(words);
    answer(
        command
            .env("CLAUDE_CODE_SESSION_ID", client.session)
            .env("USER", "ada"),
    )
}

fn on(id: &str, words: &[&str]) -> Vec<String> {
    let (verb, rest) = words.split_first().unwrap();
    let words = ["task", verb, id].into_iter().chain(rest.iter().copied());
    words.map(str::to_owned).collect()
}

fn typed(client: Client<'_>, prompt: &str) {
    client.hook("UserPromptSubmit", &json!({ "prompt": prompt }));
}

fn planned(workflow: &str) -> Sandbox {
    let sandbox = Sandbox::with_skill("planned", workflow);
    sandbox.write(&sandbox.project().join("plan.md"), PLAN);
    sandbox
}

/// The actor and summary of each event of a task.
fn history(sandbox: &Sandbox, id: &str) -> Vec<(String, String)> {
    let detail = sandbox.run(&["task", "show", id, "--full", "--json"]).ok().json();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let history = detail["data"]["history"].as_array().unwrap();
    history
        .iter()
        .map(|entry| (text(entry, "kind"), text(entry, "by")))
        .collect()
}

#[test]
fn an_agent_cannot_change_a_task_that_a_run_works_on() {
    let sandbox = planned(&one_wave());
    let client = Client::claude(&sandbox);
    let first = client.start(&["planned"]);
    let wave = sandbox.printed(first.command()).ok().step();
    typed(client, "go on");
    let id = id_of(&sandbox, "Task 1: Add the parser");
    let before = history(&sandbox, &id);
    for (number, words) in BY_HAND.iter().enumerate() {
        let words = on(&id, words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for other in [client, client.session("session-two")] {
            let refused = by(other, &words).refused("in-run");
            assert!(refused.message.contains(&first.run), "{refused:?}");
            assert_eq!(
                refused.command.as_deref(),
                Some(&*format!("bugle step {}", first.run))
            );
        }
        // A program without a name that starts an active task changes nothing.
        if number < 6 {
            sandbox.run(&words).refused("in-run");
        }
    }
    assert_eq!(history(&sandbox, &id), before);
    // If a sub-agent stops with a question, the task stays with the run.
    for line in &wave.starts {
        let begun = sandbox.printed(line).ok().step();
        std::fs::write(begun.escalation_file.as_ref().unwrap(), "which one?").unwrap();
        sandbox.printed(&begun.escalations[0].command).ok();
    }
    let unanswered = format!("{} --unanswered", wave.command());
    let looking = sandbox.printed(&unanswered).ok().step();
    assert_eq!(state(&sandbox, &id), "blocked");
    by(client, &["task", "done", &id]).refused("in-run");
    // The run may change its own tasks, and its open tasks are free after it ends.
    sandbox.printed(looking.command()).ok().end();
    by(client, &["task", "start", &id]).ok();
    by(client, &["task", "done", &id]).ok();
    sandbox.verify();
}

#[test]
fn a_person_closes_a_task_that_a_run_works_on() {
    let sandbox = planned(&one_wave());
    let first = Client::claude(&sandbox).start(&["planned"]);
    sandbox.printed(first.command()).ok().step();
    let id = id_of(&sandbox, "Task 1: Add the parser");
    sandbox.run_as_person(&["task", "done", &id]).ok();
    assert_eq!(state(&sandbox, &id), "done");
}

#[test]
fn an_agent_does_not_take_or_close_a_plans_tasks_by_hand_while_its_run_hands_them_out() {
    let sandbox = planned(ONE_BY_ONE);
    let client = Client::claude(&sandbox);
    let first = client.start(&["planned"]);
    let taking = sandbox.report(&first, &json!({ "file": "plan.md" })).ok().step();
    let free = id_of(&sandbox, "Task 3: Add the tests");
    by(client, &["task", "done", &free]).refused("in-run");
    by(client, &["task", "claim", "--as", "helper"]).refused("in-run");
    // Another session may take a free task and finish it.
    let other = client.session("session-two");
    let claimed = by(other, &["task", "claim", "--json"]).ok().json();
    assert_eq!(claimed["data"]["task"]["id"], free);
    by(other, &["task", "done", &free]).ok();
    let building = sandbox.printed(taking.command()).ok().step();
    let next = sandbox.printed(building.command()).ok().step();
    assert!(next.action.contains("Now task 2"), "{}", next.action);
}

#[test]
fn an_agent_does_not_change_the_active_task_of_another_agent() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Write the parser"]);
    let first = Client::claude(&sandbox);
    let other = first.session("session-two");
    first.hook("SessionStart", &json!({ "source": "startup" }));
    by(first, &["task", "start", &id]).ok();
    typed(other, "get rid of it");
    for words in &BY_HAND[..6] {
        let words = on(&id, words);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let refused = by(other, &words).refused("held");
        assert!(refused.message.contains("session-one"), "{refused:?}");
    }
    assert_eq!(state(&sandbox, &id), "active");
    by(other, &["task", "start", &id, "--take-over"]).ok();
    by(other, &["task", "done", &id]).ok();
    // Any agent may take a task of an ended session.
    task(&sandbox, &["reopen", &id]);
    by(first, &["task", "start", &id]).ok();
    first.hook("SessionEnd", &json!({ "reason": "other" }));
    by(other, &["task", "done", &id]).ok();
}

#[test]
fn an_agent_skips_and_removes_tasks_of_others_only_for_the_user() {
    for (verb, became) in [("skip", "skipped"), ("rm", "removed")] {
        let sandbox = Sandbox::new();
        let client = Client::claude(&sandbox);
        typed(client, "import the plan");
        sandbox.write(&sandbox.project().join("plan.md"), PLAN);
        // Importing a plan does not make its tasks the agent's own.
        let imported = by(client, &["plan", "import", "plan.md", "--json"]).ok().json();
        let root = imported["data"]["plan"]["root"].as_str().unwrap();
        let id = id_of(&sandbox, "Task 1: Add the parser");
        by(client, &["task", "assign", &id, "session-one"]).ok();
        for target in [root, &id] {
            let refused = by(client, &["task", verb, target]).refused("user-not-heard");
            assert!(refused.message.contains("not yours"), "{refused:?}");
        }
        typed(client, "leave the parser out");
        by(client, &["task", verb, &id]).ok();
        let (kind, by) = history(&sandbox, &id).pop().unwrap();
        assert_eq!((&*kind, &*by), (became, "ada, relayed by agent session-one"));
        sandbox.verify();
    }
}

#[test]
fn a_clients_todo_list_cannot_make_changes_that_the_rules_refuse() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    let list = |states: &[&str]| {
        let item = |state: &&str| json!({ "content": "Read it", "status": state, "activeForm": "Reading" });
        let todos: Vec<Value> = states.iter().map(item).collect();
        client.used("TodoWrite", &json!({ "todos": todos }), &json!("ok"));
    };
    list(&["pending"]);
    let id = id_of(&sandbox, "Read it");
    by(
        client.session("session-two"),
        &["task", "start", &id, "--take-over"],
    )
    .ok();
    for states in [&["in_progress"][..], &["completed"], &["pending"], &[]] {
        list(states);
        let task = shown(&sandbox, &id)["task"].clone();
        assert_eq!(task["state"], "active", "{states:?}");
        assert_eq!(task["agent"], "session-two", "{states:?}");
    }
}
