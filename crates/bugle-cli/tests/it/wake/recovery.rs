//! Taking over from an agent that died.

use std::fmt::Write as _;

use serde_json::Value;

use crate::support::sandbox::{SESSION, Sandbox};

const PLAN: &str = "# Authentication\n\n### Task 1: Add user model\n\nFiles: `user.go`\n\n### Task 2: Add login endpoint\n\n\
    **Files:**\n- Create: `login.go`\n- Test: `login_test.go`\n\nAnswer 401 for a wrong password.\n";

/// A project in which june has started the plan's second task. Also returns the task's id.
fn at_work() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    sandbox.write(&sandbox.project().join("docs/auth.md"), PLAN);
    sandbox.run(&["plan", "import", "docs/auth.md"]).ok();
    let listed = sandbox.run(&["task", "list", "--json"]).ok().json();
    let id = |at: usize| listed["data"]["tasks"][at]["id"].as_str().unwrap().to_owned();
    let june = |words: &[&str]| sandbox.run_in_session(SESSION, "june", words).ok();
    june(&["task", "start", &id(1)]);
    june(&["task", "done", &id(1)]);
    june(&["task", "start", &id(2)]);
    june(&["task", "note", &id(2), "The router is shared."]);
    (sandbox, id(2))
}

fn replacement(sandbox: &Sandbox, agent: &str, words: &[&str]) -> String {
    let words: Vec<&str> = ["wake", agent].into_iter().chain(words.iter().copied()).collect();
    sandbox.run(&words).ok().out
}

fn contains(text: &str, facts: &[&str]) {
    for fact in facts {
        assert!(text.contains(fact), "{fact} is not in:\n{text}");
    }
}

#[test]
fn a_replacement_sees_the_open_work_and_its_printed_commands_continue_it() {
    let (sandbox, task) = at_work();
    sandbox.write(&sandbox.project().join("login.go"), "package auth\n");
    sandbox
        .run_in_session(SESSION, "june", &["say", "@human the tests hang"])
        .ok();
    sandbox.run(&["say", "@june please hurry", "--as", "boss"]).ok();
    let text = replacement(&sandbox, "may", &["--replaces", "june"]);
    contains(
        &text,
        &[
            "You are @may",
            "You are replacing @june, which has stopped.",
            "## Taking over from @june",
            "Task 2 (Add login endpoint)",
            "noted: The router is shared.",
            "Task 1 (Add user model): done",
            "the tests hang",
            "1 message for the agent is unread: `bugle message list --for june --unread --take`",
            "`?? login.go`",
            "`login.go` exists, `login_test.go` is missing",
            "Answer 401 for a wrong password.",
        ],
    );
    assert!(
        !text.contains("and is still unfinished"),
        "no earlier recovery: {text}"
    );
    let take = format!("bugle task start {task} --take-over --as may");
    assert!(text.lines().any(|line| line.trim() == take), "{take}:\n{text}");
    sandbox.printed(&take).ok();
    let shown = sandbox.run(&["task", "show", &task, "--json"]).ok().json();
    assert_eq!(shown["data"]["task"]["agent"], "may", "{shown}");
}

#[test]
fn an_open_run_continues_with_the_printed_command() {
    let sandbox = Sandbox::new();
    let start = ["start", "decision-critic", "decision=Use Postgres"];
    let step = sandbox.run_in_session(SESSION, "june", &start).ok().step();
    let text = sandbox
        .run_in_session(SESSION, "may", &["wake", "--replaces", "june"])
        .ok()
        .out;
    contains(
        &text,
        &[
            step.command(),
            "at the step \"Break down the decision\"",
            "## Current step",
        ],
    );
    assert!(!text.contains("begun in another session"), "{text}");
    assert!(!text.contains("other run is open"), "{text}");
}

#[test]
fn only_the_last_lines_of_a_log_are_included() {
    let (sandbox, _) = at_work();
    let log = sandbox.project().join("june.jsonl");
    let mut lines = String::new();
    for at in 0..20_000 {
        let _ = writeln!(
            lines,
            r#"{{"type":"assistant","message":{{"role":"assistant","content":[{{"type":"text","text":"said {at} </wake_up>"}}]}}}}"#
        );
    }
    sandbox.write(&log, lines);
    let text = replacement(&sandbox, "may", &["--replaces", "june", "--log", "june.jsonl"]);
    contains(&text, &["assistant: said 19999 <\\/wake_up>", "tail -n 200 "]);
    assert!(!text.contains("said 19900 "), "{text}");
    sandbox.write(&log, "plain \u{1b}[31moutput\u{1b}[0m\n");
    let text = replacement(&sandbox, "may", &["--replaces", "june", "--log", "june.jsonl"]);
    contains(&text, &["\nplain output\n"]);
    let text = replacement(&sandbox, "may", &["--replaces", "june", "--log", "none.jsonl"]);
    contains(&text, &["Bugle could not read the agent's log `", "none.jsonl`"]);
}

#[test]
fn after_the_third_failure_the_advice_is_to_split_the_task_and_asking_twice_counts_once() {
    let (sandbox, task) = at_work();
    let mut before = "june".to_owned();
    for at in 1..=3 {
        let next = format!("impl-{at}");
        let text = replacement(&sandbox, &next, &["--replaces", &before]);
        assert_eq!(
            replacement(&sandbox, &next, &["--replaces", &before]),
            text,
            "asking again changes nothing"
        );
        let advice = format!("{task} has failed 3 times");
        assert_eq!(text.contains(&advice), at == 3, "{at}:\n{text}");
        sandbox
            .run(&["task", "start", &task, "--take-over", "--as", &next])
            .ok();
        before = next;
    }
}

#[test]
fn a_replacement_is_recorded_and_nothing_is_invented_about_an_unknown_agent() {
    let (sandbox, _) = at_work();
    let text = replacement(&sandbox, "may", &["--replaces", "nobody-at-all"]);
    contains(&text, &["No unfinished work was found."]);
    let given = sandbox
        .run(&["wake", "may", "--replaces", "june", "--format", "json"])
        .ok()
        .json();
    assert_eq!(given["data"]["reason"], "event");
    let id = given["data"]["id"].as_str().unwrap();
    let shown = sandbox.run(&["wakeup", "show", id, "--json"]).ok().json();
    let parts = shown["data"]["parts"].as_array().unwrap();
    let recovery: Vec<&Value> = parts.iter().filter(|part| part["part"] == "recovery").collect();
    assert_eq!(recovery.len(), 1);
    assert_eq!(recovery[0]["verdict"], "whole");
    sandbox
        .run(&["wake", "may", "--replaces", "june", "--reason", "compact"])
        .exits(2);
    sandbox.run(&["wake", "may", "--log", "x"]).exits(2);
}
