//! The tree of tasks: where work stands in it, who may do what, and how a task is found.

use crate::harness::{Sandbox, all_at_once};
use crate::tree::{
    Authentication, add, add_one, check, id_of, labels, neutral, next, outline, position, shown, task, texts,
};

#[test]
fn the_position_is_the_first_open_leaf_in_plan_order_however_deep() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let at = next(&sandbox)["position"].clone();
    assert_eq!(at["task"]["id"], tree.spec_review, "{at}");
    assert_eq!(
        at["sentence"],
        "In \"Task 2: Login form\": \"Implement\" is done; \"Spec review\" is to be done now; next: \"Code quality \
         review\"."
    );
    task(&sandbox, &["start", &tree.spec_review]);
    let shown = task(&sandbox, &["next"]).out;
    insta::assert_snapshot!("next_in_the_authentication_tree", neutral(&sandbox, &shown));
    let listed = task(&sandbox, &["list"]).out;
    insta::assert_snapshot!("list_of_the_authentication_tree", neutral(&sandbox, &listed));
}

#[test]
fn a_parent_whose_children_are_closed_is_ready_to_close() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    task(&sandbox, &["done", &tree.spec_review]);
    let done = task(&sandbox, &["done", &tree.quality_review]).out;
    assert!(done.contains("ready to close"), "{done}");
    let at = next(&sandbox)["position"].clone();
    assert_eq!(at["task"]["id"], tree.task_two);
    assert_eq!(at["task"]["ready_to_close"], true);
    let command = at["commands"][0]["command"].as_str().unwrap();
    assert_eq!(command, format!("bugle task done {}", tree.task_two));
    sandbox.printed(command).ok();
    assert_eq!(position(&sandbox).as_deref(), Some("Task 3: Sessions"));
    for last in ["Task 3: Sessions", "Execute plan", "Finish branch"] {
        task(&sandbox, &["done", &id_of(&sandbox, last)]);
    }
    assert_eq!(position(&sandbox).as_deref(), Some("Build authentication"));
    let over = task(&sandbox, &["done", &tree.root]).out;
    assert!(over.contains("is done"), "{over}");
    let none = task(&sandbox, &["next"]).out;
    assert_eq!(none, "Every task here is closed.\n");
    assert!(next(&sandbox)["position"].is_null());
    check(&sandbox);
}

#[test]
fn fifty_tasks_of_one_command_keep_the_order_they_were_given_in() {
    let sandbox = Sandbox::new();
    let titles: Vec<String> = (1..=50).map(|number| format!("Part {number}")).collect();
    let words: Vec<&str> = titles.iter().map(String::as_str).collect();
    let added = add(&sandbox, &words);
    assert_eq!(labels(&sandbox), titles);
    for (id, title) in added.iter().zip(&titles) {
        assert_eq!(position(&sandbox).as_ref(), Some(title));
        task(&sandbox, &["done", id]);
    }
}

#[test]
fn fifty_tasks_of_fifty_processes_are_all_there_and_stay_in_one_order() {
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
    assert_eq!(labels(&sandbox), order, "and in the same order again");
    let ready = sandbox.run(&["task", "ready", "--json"]).ok().json();
    assert_eq!(texts(&ready["data"]["tasks"], "label"), order[1..]);
}

#[test]
fn every_answer_is_one_document_of_its_kind_for_programs() {
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
fn a_task_is_found_by_the_beginning_of_its_id() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only"]);
    for length in 3..=id.len() {
        assert_eq!(shown(&sandbox, &id[..length])["task"]["id"], id);
    }
    let titles: Vec<String> = (0..29).map(|number| format!("Part {number}")).collect();
    let words: Vec<&str> = titles.iter().map(String::as_str).collect();
    let many = add(&sandbox, &words);
    let shared = |id: &&String| many.iter().filter(|other| other[..3] == id[..3]).count() > 1;
    let prefix = &many.iter().find(shared).unwrap()[..3];
    let failed = sandbox
        .run(&["task", "show", prefix])
        .fails(2, &format!("{prefix} is the beginning of several tasks"));
    for id in many.iter().filter(|id| id.starts_with(prefix)) {
        assert!(failed.err.contains(id.as_str()), "{}", failed.err);
    }
}

#[test]
fn a_task_that_is_not_there_is_not_found() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only"]);
    let no = "t-zzzzzzzz";
    for arguments in [
        vec!["show", no],
        vec!["start", no],
        vec!["done", no],
        vec!["skip", no],
        vec!["fail", no, "--why", "x"],
        vec!["block", no, "--why", "x"],
        vec!["reopen", no],
        vec!["note", no, "x"],
        vec!["edit", no, "--title", "x"],
        vec!["move", no, "--top"],
        vec!["move", &id, "--under", no],
        vec!["move", &id, "--before", no],
        vec!["depend", no, &id],
        vec!["depend", &id, no],
        vec!["assign", no, "ann"],
        vec!["rm", no],
        vec!["next", no],
        vec!["ready", no],
        vec!["claim", no],
        vec!["list", no],
        vec!["skill", no],
        vec!["add", "x", "--under", no],
        vec!["add", "x", "--waits-for", no],
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        let failed = sandbox.run(&words).fails(4, "there is no task t-zzzzzzzz");
        assert!(
            failed.err.contains("bugle task list"),
            "{words:?}: {}",
            failed.err
        );
        let words: Vec<&str> = words.into_iter().chain(["--json"]).collect();
        assert_eq!(sandbox.run(&words).exits(4).json()["data"]["exit"], 4);
    }
    sandbox.run(&["task", "show", "7"]).fails(2, "`7` is not a task");
    sandbox
        .run(&["task", "show", "r-zzzzzz"])
        .fails(2, "is not a task");
    assert_eq!(labels(&sandbox), ["Only"], "nothing came of it");
}

#[test]
fn a_refusal_says_why_and_the_command_it_prints_runs() {
    let sandbox = Sandbox::new();
    let tree = Authentication::new(&sandbox);
    let refused = sandbox
        .run(&["task", "done", &tree.task_two])
        .refused("open-inside");
    assert_eq!(
        refused.message,
        "Task 2: Login form cannot be closed: 2 tasks in it are open."
    );
    assert!(refused.details[0].contains("Spec review"), "{refused:?}");
    let listed = sandbox.printed(refused.command()).ok().out;
    assert!(listed.contains("Spec review"), "{listed}");
    task(&sandbox, &["depend", &tree.quality_review, &tree.spec_review]);
    for verb in ["start", "done"] {
        let refused = sandbox
            .run(&["task", verb, &tree.quality_review])
            .refused("waits");
        let why = sandbox.printed(refused.command()).ok().out;
        assert!(why.contains("Spec review"), "{why}");
    }
    task(&sandbox, &["done", &tree.spec_review]);
    for arguments in [
        vec!["start", &tree.spec_review],
        vec!["skip", &tree.spec_review],
        vec!["fail", &tree.spec_review, "--why", "x"],
        vec!["block", &tree.spec_review, "--why", "x"],
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        let refused = sandbox.run(&words).refused("closed");
        assert_eq!(
            refused.command(),
            format!("bugle task reopen {}", tree.spec_review)
        );
    }
    task(&sandbox, &["start", &tree.quality_review, "--as", "ann"]);
    let before = outline(&sandbox);
    let refused = sandbox
        .run(&["task", "start", &tree.quality_review, "--as", "bob"])
        .refused("held");
    assert!(refused.message.contains("ann"), "{refused:?}");
    assert!(
        !refused.command().contains("take-over"),
        "whoever does as told takes nothing from others: {refused:?}"
    );
    sandbox.printed(refused.command()).ok();
    assert_eq!(outline(&sandbox), before, "nothing was lost by it");
    for (arguments, code) in [
        (vec!["note", &tree.root, " "], "empty"),
        (vec!["edit", &tree.root, "--title", ""], "empty"),
        (vec!["fail", &tree.root, "--why", ""], "empty"),
    ] {
        let words: Vec<&str> = ["task"].into_iter().chain(arguments).collect();
        sandbox.run(&words).refused(code);
    }
    check(&sandbox);
}

#[test]
fn whoever_is_refused_because_another_is_at_it_can_take_it_over() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Only"]);
    task(&sandbox, &["start", &id, "--as", "ann"]);
    task(&sandbox, &["start", &id, "--as", "ann"]);
    sandbox
        .run(&["task", "start", &id, "--as", "bob"])
        .refused("held");
    task(&sandbox, &["start", &id, "--as", "bob", "--take-over"]);
    assert_eq!(shown(&sandbox, &id)["task"]["agent"], "bob");
    sandbox
        .run(&["task", "start", &id, "--as", "ann"])
        .refused("held");
    let held =
        |session: &str| sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", session, &["task", "start", &id]);
    held("one").refused("held");
    task(&sandbox, &["reopen", &id]);
    held("one").ok();
    held("two").refused("held");
    assert_eq!(shown(&sandbox, &id)["task"]["agent"], "one");
}
