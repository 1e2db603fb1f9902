//! The printed task tree, and changes by many processes. The tree's rules are tested in bugle-app.

use crate::support::sandbox::{Sandbox, all_at_once};
use crate::support::tasks::{Authentication, add, add_one, check, labels, neutral, task, texts};

#[test]
fn the_position_and_the_tree_are_printed() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    task(&sandbox, &["start", &tree.spec_review]);
    let shown = task(&sandbox, &["next"]).out;
    insta::assert_snapshot!("next_in_the_authentication_tree", neutral(&sandbox, &shown));
    let listed = task(&sandbox, &["list"]).out;
    insta::assert_snapshot!("list_of_the_authentication_tree", neutral(&sandbox, &listed));
}

#[test]
fn fifty_tasks_added_by_fifty_processes_are_all_kept_in_a_stable_order() {
    let sandbox = Sandbox::new();
    let root = add_one(&sandbox, &["All of it"]);
    let commands =
        (1..=50).map(|number| sandbox.bugle(&["task", "add", &format!("Part {number}"), "--under", &root]));
    for answer in all_at_once(commands.collect()) {
        answer.ok();
    }
    let order = labels(&sandbox);
    assert_eq!(order.len(), 51);
    let mut sorted = order.clone();
    sorted.sort();
    sorted.dedup();
    assert_eq!(sorted.len(), 51, "each once");
    assert_eq!(labels(&sandbox), order, "the order is stable");
    let ready = sandbox.run(&["task", "ready", "--json"]).ok().json();
    assert_eq!(texts(&ready["data"]["tasks"], "label"), order[1..]);
}

#[test]
fn every_command_prints_one_json_document_of_its_kind() {
    let sandbox = Sandbox::new();
    let both = add(&sandbox, &["One", "Two"]);
    let (one, two) = (both[0].as_str(), both[1].as_str());
    for (arguments, kind) in [
        (vec!["list"], "tasks"),
        (vec!["next"], "next"),
        (vec!["ready"], "ready"),
        (vec!["show", one], "task"),
        (vec!["show", one, "--full"], "task"),
        (vec!["skill", one], "task_skill"),
        (vec!["start", one], "task"),
        (vec!["note", one, "a note"], "tasks_changed"),
        (vec!["edit", one, "--title", "First"], "tasks_changed"),
        (vec!["move", one, "--after", two], "tasks_changed"),
        (vec!["depend", one, two], "tasks_changed"),
        (vec!["depend", one, two, "--no-more"], "tasks_changed"),
        (vec!["assign", one, "ann"], "tasks_changed"),
        (vec!["block", one, "--why", "no key"], "tasks_changed"),
        (vec!["fail", one, "--why", "no luck"], "tasks_changed"),
        (vec!["reopen", one], "tasks_changed"),
        (vec!["done", one], "tasks_changed"),
        (vec!["claim"], "task"),
        (vec!["skip", two], "tasks_changed"),
        (vec!["rm", two], "tasks_changed"),
    ] {
        let words: Vec<&str> = ["task", "--json"].into_iter().chain(arguments).collect();
        let document = sandbox.run(&words).ok().json();
        assert_eq!(document["version"], 1, "{words:?}");
        assert_eq!(document["kind"], kind, "{words:?}");
    }
    check(&sandbox);
}

#[test]
fn the_command_in_a_refusal_runs() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let refused = sandbox
        .run(&["task", "done", &tree.task_two])
        .refused("open-inside");
    let listed = sandbox.printed(refused.command()).ok().out;
    assert!(listed.contains("Spec review"), "{listed}");
    task(&sandbox, &["depend", &tree.quality_review, &tree.spec_review]);
    let refused = sandbox
        .run(&["task", "start", &tree.quality_review])
        .refused("waits");
    let why = sandbox.printed(refused.command()).ok().out;
    assert!(why.contains("Spec review"), "{why}");
    let circle = sandbox
        .run(&["task", "depend", &tree.spec_review, &tree.quality_review])
        .refused("circle");
    sandbox.printed(circle.command()).ok();
    task(&sandbox, &["rm", &tree.execute]);
    let refused = sandbox
        .run(&["task", "reopen", &tree.task_two])
        .refused("parent-removed");
    sandbox.printed(refused.command()).ok();
    check(&sandbox);
}
