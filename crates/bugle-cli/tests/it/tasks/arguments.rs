//! Invalid `bugle task` arguments are errors.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{add, add_one, shown};

#[test]
fn wrong_arguments_are_usage_errors() {
    let sandbox = Sandbox::new();
    let both = add(&sandbox, &["One", "Two"]);
    let (one, two) = (both[0].as_str(), both[1].as_str());
    for arguments in [
        vec!["add", "--version-two"],
        vec!["edit", one],
        vec!["edit", one, "--skill", "not a name"],
        vec!["move", one],
        vec!["move", one, "--top", "--under", two],
        vec!["assign", one],
        vec!["assign", one, "bob", "--nobody"],
        vec!["assign", one, "two words"],
        vec!["show", "7"],
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        sandbox.run(&words).exits(2);
    }
    sandbox
        .run(&["task", "add", "p", "--skill", "../../etc/passwd"])
        .fails(2, "etc/passwd");
    sandbox
        .run(&["task", "skill", one, "--role", "king"])
        .fails(2, "there is no role `king`");
}

#[test]
fn a_title_may_begin_with_dashes() {
    let sandbox = Sandbox::new();
    let dashed = add_one(&sandbox, &["--", "--under the hood"]);
    assert_eq!(shown(&sandbox, &dashed)["task"]["title"], "--under the hood");
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
}

#[test]
fn the_help_of_ready_says_when_it_lists_the_whole_project() {
    let help = Sandbox::new().run(&["task", "ready", "--help"]).ok().out;
    assert!(help.contains("tasks from the whole project"), "{help}");
}
