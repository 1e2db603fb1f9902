//! `bugle task` arguments: invalid ones are errors, valid ones show in the output.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{add, add_one, task};

#[test]
fn wrong_arguments_are_usage_errors() {
    let sandbox = Sandbox::new();
    let both = add(&sandbox, &["One", "Two"]);
    let (one, two) = (both[0].as_str(), both[1].as_str());
    for arguments in [
        vec!["add", "Three", "--note", " "],
        vec!["edit", one],
        vec!["edit", one, "--skill", "not a name"],
        vec!["move", one],
        vec!["move", one, "--top", "--under", two],
        vec!["assign", one],
        vec!["assign", one, "bob", "--nobody"],
        vec!["assign", one, "two words"],
        vec!["show", "7"],
        vec!["show", "r-zzzzzz"],
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        sandbox.run(&words).exits(2);
    }
}

#[test]
fn a_task_that_does_not_exist_is_not_found() {
    let sandbox = Sandbox::new();
    add_one(&sandbox, &["Only"]);
    let missing = ["task", "show", "t-zzzzzzzz"];
    let failed = sandbox.run(&missing).fails(4, "there is no task t-zzzzzzzz");
    assert!(failed.err.contains("bugle task list"), "{}", failed.err);
    let [verb, show, id] = missing;
    let document = sandbox.run(&[verb, show, id, "--json"]).exits(4).json();
    assert_eq!(document["data"]["exit"], 4);
    sandbox.run(&["task", "claim"]).ok();
    sandbox.run(&["task", "claim"]).fails(4, "no task can start now");
}

#[test]
fn the_text_names_agents_notes_dependencies_and_retries() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only", "--agent", "ann", "--note", "from the start"]);
    let says = |words: &[&str], text: &str| {
        let out = task(&sandbox, words).out;
        assert!(out.contains(text), "{text:?} is not in {out}");
    };
    says(&["show", &id], "Assigned to: ann");
    for note in ["second", "third", "fourth"] {
        task(&sandbox, &["note", &id, note]);
    }
    says(&["show", &id], "(1 earlier not shown; `--full` shows all)");
    says(&["edit", &id, "--title", "Only"], "Nothing changed.");
    for _ in 0..2 {
        task(&sandbox, &["start", &id]);
        says(&["fail", &id, "--why", "the bench is down"], "has failed");
    }
    task(&sandbox, &["start", &id]);
    says(&["list"], "retried 2 times");
    says(
        &["block", &id, "--why", "needs a key"],
        "is blocked (needs a key)",
    );
    add(&sandbox, &["Other", "--waits-for", &id]);
    says(&["list"], "waiting for Only");
    task(&sandbox, &["rm", &id]);
    says(&["reopen", &id], "");
    says(&["show", &id, "--full"], "restored");
}

#[test]
fn the_help_of_ready_says_when_it_lists_the_whole_project() {
    let help = Sandbox::new().run(&["task", "ready", "--help"]).ok().out;
    assert!(help.contains("tasks from the whole project"), "{help}");
}
