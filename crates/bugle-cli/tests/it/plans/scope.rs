//! Task scope: a repository with its worktrees, a folder, or a session.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::sandbox::{Sandbox, answer};
use crate::support::tasks::{
    PLAN, add, add_one, bugle_in, check, id_of, ids, import, import_again, labels, next, position, task,
    texts,
};

const FILE: &str = "docs/plans/login.md";

/// A repository with a committed plan.
fn repository() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    sandbox.write(&sandbox.project().join(FILE), PLAN);
    git(&sandbox, &["add", "."]);
    git(&sandbox, &["commit", "--quiet", "--message", "a plan"]);
    git(&sandbox, &["branch", "--move", "main"]);
    sandbox
}

fn git(sandbox: &Sandbox, arguments: &[&str]) {
    sandbox.tool(&sandbox.project(), "git", arguments);
}

#[track_caller]
fn next_in(sandbox: &Sandbox, folder: &Path, session: Option<&str>) -> Value {
    let answer = answer(&mut bugle_in(
        sandbox,
        folder,
        session,
        &["task", "next", "--json"],
    ));
    answer.ok().json()["data"].clone()
}

#[track_caller]
fn label_in(sandbox: &Sandbox, folder: &Path, session: Option<&str>) -> String {
    let next = next_in(sandbox, folder, session);
    next["position"]["task"]["label"].as_str().unwrap().to_owned()
}

#[test]
fn a_plan_written_on_one_branch_is_found_in_a_worktree_on_another() {
    let sandbox = repository();
    let tree = sandbox.work_tree("feature/login");
    let imported = import_again(&sandbox, &[FILE]);
    assert_eq!(imported["plan"]["branch"], "main");
    assert_eq!(label_in(&sandbox, &tree, None), "Task 1: Parse the header");
    fs::create_dir_all(tree.join("src/deep")).unwrap();
    assert_eq!(
        label_in(&sandbox, &tree.join("src/deep"), Some("new")),
        "Task 1: Parse the header"
    );
    sandbox.run_in(&tree, &["task", "claim"]).ok();
    sandbox
        .run_in(
            &tree,
            &["task", "done", &id_of(&sandbox, "Task 1: Parse the header")],
        )
        .ok();
    assert_eq!(position(&sandbox).as_deref(), Some("Task 2: Show the form"));
    // The same file in the other worktree is the same plan.
    let again = sandbox
        .run_in(&tree, &["plan", "import", FILE, "--json"])
        .ok()
        .json();
    assert_eq!(again["data"]["plan"]["id"], imported["plan"]["id"]);
    assert_eq!(again["data"]["plan"]["branch"], "feature/login");
    let from_below = sandbox
        .run_in(
            &tree.join("src"),
            &["plan", "show", "../docs/plans/login.md", "--json"],
        )
        .ok()
        .json();
    assert_eq!(from_below["data"]["plan"]["id"], imported["plan"]["id"]);
    assert_eq!(
        sandbox.run(&["plan", "list", "--json"]).ok().json()["data"]["plans"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_plan_that_is_only_on_another_branch_is_kept_and_marked() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    git(&sandbox, &["branch", "--move", "main"]);
    let tree = sandbox.work_tree("feature/login");
    import(&sandbox, FILE, PLAN);
    let next = next_in(&sandbox, &tree, None);
    let notice = next["position"]["notices"][0].as_str().unwrap();
    assert_eq!(
        notice,
        "The plan's file docs/plans/login.md is missing. The imported text is kept. The plan was imported on branch main."
    );
    let id = next["position"]["task"]["id"].as_str().unwrap();
    let started = sandbox.run_in(&tree, &["task", "start", id]).ok().out;
    assert!(
        started.contains("Write the failing test"),
        "the plan's text is shown: {started}"
    );
}

#[test]
fn a_renamed_branch_changes_nothing() {
    let sandbox = repository();
    import_again(&sandbox, &[FILE]);
    git(&sandbox, &["branch", "--move", "trunk"]);
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Parse the header"));
    git(&sandbox, &["checkout", "--quiet", "--detach"]);
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Parse the header"));
    let again = import_again(&sandbox, &[FILE]);
    assert!(again["plan"]["branch"].is_null(), "{again}");
}

#[test]
fn a_deleted_worktree_loses_nothing() {
    let sandbox = repository();
    let tree = sandbox.work_tree("feature/login");
    sandbox.write(&tree.join("docs/other.md"), "# Other\n\n## Task 1: Only here\n");
    sandbox.run_in(&tree, &["plan", "import", "docs/other.md"]).ok();
    let id = id_of(&sandbox, "Task 1: Only here");
    answer(&mut bugle_in(
        &sandbox,
        &tree,
        Some("gone"),
        &["task", "start", &id],
    ))
    .ok();
    fs::remove_dir_all(&tree).unwrap();
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Only here"));
    let shown = sandbox.run(&["plan", "show"]).ok().out;
    assert!(
        shown.contains("The plan was imported on branch feature/login."),
        "{shown}"
    );
    git(&sandbox, &["worktree", "prune"]);
    task(&sandbox, &["done", &id]);
    check(&sandbox);
}

#[test]
fn two_repositories_with_the_same_plan_path_stay_separate() {
    let sandbox = repository();
    import_again(&sandbox, &[FILE]);
    let other = sandbox.elsewhere();
    sandbox.tool(&other, "git", &["init", "--quiet"]);
    let none = sandbox.run_in(&other, &["task", "next"]).ok().out;
    assert!(none.starts_with("This project has no tasks."), "{none}");
    sandbox
        .run_in(&other, &["plan", "show", FILE])
        .fails(4, "has not been imported");
    sandbox.write(
        &other.join(FILE),
        "# Login Implementation Plan\n\n### Task 1: Another one\n",
    );
    let imported = sandbox
        .run_in(&other, &["plan", "import", FILE, "--json"])
        .ok()
        .json();
    assert_eq!(imported["data"]["again"], false);
    assert_eq!(label_in(&sandbox, &other, None), "Task 1: Another one");
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Parse the header"));
    let root = imported["data"]["plan"]["root"].as_str().unwrap();
    let plan = imported["data"]["plan"]["id"].as_str().unwrap();
    // Ids work in every project, but the trees stay separate.
    let mine = add_one(&sandbox, &["Mine"]);
    assert!(
        sandbox
            .run(&["task", "show", root])
            .ok()
            .out
            .contains("Login Implementation Plan")
    );
    sandbox
        .run(&["task", "move", &mine, "--under", root])
        .fails(2, "another project");
    sandbox
        .run(&["task", "depend", &mine, root])
        .fails(2, "another project");
    sandbox
        .run(&["task", "add", "x", "--waits-for", root])
        .fails(2, "another project");
    sandbox
        .run(&["plan", "import", FILE, "--under", root])
        .fails(2, "another project");
    sandbox
        .run(&["plan", "import", FILE, "--was", plan])
        .fails(2, "another project");
    let theirs = sandbox.run_in(&other, &["task", "list", "--json"]).ok().json();
    assert_eq!(
        texts(&theirs["data"]["tasks"], "label"),
        ["Login Implementation Plan", "Task 1: Another one"]
    );
    check(&sandbox);
}

#[test]
fn outside_git_the_folder_is_the_project() {
    let sandbox = Sandbox::new();
    import(&sandbox, FILE, PLAN);
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Parse the header"));
    for folder in [sandbox.elsewhere(), sandbox.project().join("docs")] {
        let none = sandbox.run_in(&folder, &["task", "next"]).ok().out;
        assert!(none.starts_with("This project has no tasks."), "{none}");
    }
    let there = sandbox
        .run_in(&sandbox.elsewhere(), &["-C", "../project", "task", "next"])
        .ok()
        .out;
    assert!(there.contains("Parse the header"), "{there}");
}

#[test]
fn a_session_stays_with_its_plan() {
    let sandbox = Sandbox::new();
    import(&sandbox, FILE, PLAN);
    let other = "# Billing\n\n## Task 1: Send the bill\n\n## Task 2: Remind\n";
    import(&sandbox, "docs/billing.md", other);
    let run = |session: &str, arguments: &[&str]| {
        sandbox
            .run_in_session("CLAUDE_CODE_SESSION_ID", session, arguments)
            .ok()
    };
    let at = |session: &str| label_in(&sandbox, &sandbox.project(), Some(session));
    let header = id_of(&sandbox, "Task 1: Parse the header");
    let bill = id_of(&sandbox, "Task 1: Send the bill");
    run("login", &["task", "start", &header]);
    run("billing", &["task", "start", &bill]);
    assert_eq!(at("login"), "Task 1: Parse the header");
    assert_eq!(at("billing"), "Task 1: Send the bill");
    run("billing", &["task", "done", &bill]);
    assert_eq!(
        at("login"),
        "Task 1: Parse the header",
        "another session's work is not its own"
    );
    let next = next_in(&sandbox, &sandbox.project(), Some("login"));
    assert!(
        next["position"]["notices"][0]
            .as_str()
            .unwrap()
            .contains("Other tasks are open in this project"),
        "{next}"
    );
    // Viewing another plan does not switch to it.
    run("login", &["task", "show", &bill]);
    run("login", &["task", "note", &bill, "seen"]);
    assert_eq!(at("login"), "Task 1: Parse the header");
    let claimed = run("billing", &["task", "claim", "--json"]).json();
    assert_eq!(claimed["data"]["task"]["label"], "Task 2: Remind");
    // When its plan is closed, a session moves to a plan with open tasks.
    let root = id_of(&sandbox, "Billing");
    task(&sandbox, &["skip", &root]);
    assert_eq!(at("billing"), "Task 1: Parse the header");
    assert_eq!(at("a new session"), "Task 1: Parse the header");
}

#[test]
fn with_several_plans_and_none_active_the_command_must_name_one() {
    let sandbox = Sandbox::new();
    let first = import(&sandbox, "a.md", "# A\n\n## Task 1: One\n");
    let second = import(&sandbox, "b.md", "# B\n\n## Task 1: Two\n");
    for plan in [&first, &second] {
        task(&sandbox, &["skip", plan["plan"]["root"].as_str().unwrap()]);
    }
    let failed = sandbox
        .run(&["plan", "show"])
        .fails(2, "this project has several plans");
    for plan in [&first, &second] {
        assert!(
            failed.err.contains(plan["plan"]["id"].as_str().unwrap()),
            "{}",
            failed.err
        );
    }
    assert!(next(&sandbox)["position"].is_null());
}

#[test]
fn tasks_added_by_hand_do_not_hide_the_current_plan() {
    let sandbox = Sandbox::new();
    import(&sandbox, FILE, PLAN);
    let extra = add(&sandbox, &["Buy milk", "Call home"]);
    assert_eq!(position(&sandbox).as_deref(), Some("Task 1: Parse the header"));
    assert_eq!(labels(&sandbox).len(), 8);
    task(&sandbox, &["start", &extra[1]]);
    assert_eq!(position(&sandbox).as_deref(), Some("Call home"));
    task(&sandbox, &["done", &extra[1]]);
    let after = position(&sandbox);
    assert_eq!(
        after.as_deref(),
        Some("Task 1: Parse the header"),
        "the position returns to the first open task"
    );
    let ready = sandbox.run(&["task", "ready", "--json"]).ok().json();
    assert!(ids(&ready["data"]["tasks"]).contains(&extra[0]));
}
