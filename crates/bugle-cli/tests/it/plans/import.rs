//! Importing plans: first import, edits, re-import, renamed and missing files.

use std::fs;

use serde_json::Value;

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{
    PLAN, add_one, check, id_of, import, import_again, labels, neutral, next, notices, outline, position,
    shown, state, task, texts,
};

const FILE: &str = "docs/plans/login.md";

/// A project with an imported plan.
fn with_plan() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let imported = import(&sandbox, FILE, PLAN);
    let id = imported["plan"]["id"].as_str().unwrap().to_owned();
    (sandbox, id)
}

/// The plan's second task, with its dependency on the first removed.
fn second_of(sandbox: &Sandbox) -> String {
    let [first, second] =
        ["Task 1: Parse the header", "Task 2: Show the form"].map(|label| id_of(sandbox, label));
    task(sandbox, &["depend", &second, &first, "--no-more"]);
    second
}

/// Replaces text in the plan's file.
fn edited(sandbox: &Sandbox, from: &str, to: &str) {
    let file = sandbox.project().join(FILE);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

fn names(imported: &Value, list: &str) -> Vec<String> {
    texts(&imported[list], "label")
}

#[test]
fn a_plan_becomes_a_tree_of_tasks() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join(FILE), PLAN);
    let imported = sandbox.run(&["plan", "import", FILE]).ok().out;
    insta::assert_snapshot!("plan_import", neutral(&sandbox, &imported));
    insta::assert_snapshot!("outline_of_a_plan", outline(&sandbox).join("\n"));
    let shown = sandbox.run(&["plan", "show"]).ok().out;
    insta::assert_snapshot!("plan_show", neutral(&sandbox, &shown));
    let full = sandbox.run(&["plan", "show", "--full"]).ok().out;
    assert!(
        full.contains(&format!("Text of {FILE}\n\n{}", PLAN.trim_end())),
        "{full}"
    );
    let listed = sandbox.run(&["plan", "list"]).ok().out;
    insta::assert_snapshot!("plan_list", neutral(&sandbox, &listed));
    let started = task(&sandbox, &["claim"]).out;
    insta::assert_snapshot!("claim_from_a_plan", neutral(&sandbox, &started));
    check(&sandbox);
}

#[test]
fn every_plan_command_prints_one_json_document_of_its_kind() {
    let (sandbox, id) = with_plan();
    for (arguments, kind) in [
        (vec!["import", FILE], "plan_import"),
        (vec!["list"], "plans"),
        (vec!["show"], "plan"),
        (vec!["show", &id], "plan"),
        (vec!["show", FILE], "plan"),
        (vec!["section", FILE, "2"], "plan_section"),
        (vec!["section", &id, "2"], "plan_section"),
        (vec!["upgrade-skills"], "plan_skills"),
        (vec!["upgrade-skills", &id], "plan_skills"),
    ] {
        let words: Vec<&str> = ["plan", "--json"].into_iter().chain(arguments).collect();
        let document = sandbox.run(&words).ok().json();
        assert_eq!(document["version"], 1, "{words:?}");
        assert_eq!(document["kind"], kind, "{words:?}");
    }
    for length in 3..=id.len() {
        let document = sandbox
            .run(&["plan", "show", &id[..length], "--json"])
            .ok()
            .json();
        assert_eq!(document["data"]["plan"]["id"], id);
    }
    for arguments in [
        vec!["plan", "show", "p-zzzzzz"],
        vec!["plan", "section", "p-zzzzzz", "1"],
        vec!["plan", "upgrade-skills", "p-zzzzzz"],
        vec!["plan", "import", FILE, "--was", "p-zzzzzz"],
        vec!["task", "next", "p-zzzzzz"],
        vec!["task", "list", "p-zzzzzz"],
    ] {
        let failed = sandbox.run(&arguments).fails(4, "there is no plan p-zzzzzz");
        assert!(failed.err.contains("bugle plan list"), "{}", failed.err);
    }
    sandbox
        .run(&["plan", "show", "docs/other.md"])
        .fails(4, "docs/other.md has not been imported");
    sandbox.run(&["plan", "show", "p-"]).fails(2, "is not a plan id");
}

#[test]
fn a_section_is_printed_exactly_as_in_the_file() {
    let (sandbox, id) = with_plan();
    let second = "### Task 2: Show the form\n\nDraw it.\n";
    assert!(PLAN.contains(second));
    for plan in [FILE, &id] {
        let out = sandbox.run(&["plan", "section", plan, "2"]).ok().out;
        assert_eq!(out, second);
    }
    // `plan section` also reads a file that was never imported, from any folder.
    let other = sandbox.elsewhere().join("other.md");
    let odd = "# Odd\r\n\r\n## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  \r\n\r\n## Task 2: Last\r\nno end";
    sandbox.write(&other, odd);
    let path = other.to_str().unwrap();
    let first = sandbox.run(&["plan", "section", path, "1"]).ok().out;
    assert_eq!(
        first,
        "## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  \n"
    );
    let last = sandbox.run(&["plan", "section", path, "2"]).ok().out;
    assert_eq!(last, "## Task 2: Last\r\nno end\n");
    let document = sandbox.run(&["plan", "section", path, "2", "--json"]).ok().json();
    assert_eq!(document["data"]["text"], "## Task 2: Last\r\nno end");
    assert_eq!(document["data"]["line"], 7);
    let group = sandbox.run(&["plan", "section", FILE, "Phase 2"]).ok().out;
    assert_eq!(group, "## Phase 2: The rest\n", "only the group's own text");
    assert_eq!(
        sandbox
            .run(&["plan", "section", FILE, "Task 2"])
            .ok()
            .out
            .trim_end(),
        second.trim_end()
    );
    let failed = sandbox
        .run(&["plan", "section", FILE, "9"])
        .fails(4, "has no task 9");
    assert!(failed.err.contains("from 1 to 3"), "{}", failed.err);
}

#[test]
fn closed_tasks_stay_closed_after_an_edit() {
    let (sandbox, id) = with_plan();
    let first = id_of(&sandbox, "Task 1: Parse the header");
    let third = id_of(&sandbox, "Task 3: Keep the session");
    task(&sandbox, &["done", &first]);
    task(&sandbox, &["note", &third, "by hand"]);
    edited(
        &sandbox,
        "### Task 2: Show the form",
        "### Task 2: Draw a logo\n\nIn colour.\n\n### Task 3: Show the form",
    );
    edited(
        &sandbox,
        "### Task 3: Keep the session",
        "### Task 4: Keep the session",
    );
    edited(&sandbox, "Store the cookie.", "Store the cookie for a day.");
    let at = notices(&next(&sandbox));
    assert!(at.contains("has changed since it was imported"), "{at}");
    let listed = sandbox.run(&["plan", "list"]).ok().out;
    assert!(listed.contains("has changed since it was imported"), "{listed}");
    let command = at.split('`').nth(1).unwrap();
    let said = answer_of(&sandbox, command);
    insta::assert_snapshot!("plan_import_again", neutral(&sandbox, &said));
    assert_eq!(state(&sandbox, &first), "done");
    assert_eq!(
        id_of(&sandbox, "Task 4: Keep the session"),
        third,
        "the same task"
    );
    assert_eq!(texts(&shown(&sandbox, &third)["notes"], "text"), ["by hand"]);
    assert_eq!(position(&sandbox).as_deref(), Some("Task 2: Draw a logo"));
    let again = import_again(&sandbox, &[FILE]);
    assert_eq!(again["plan"]["id"], id);
    assert_eq!(again["unchanged"], 6, "{again}");
    for list in ["added", "edited", "moved", "vanished", "ticked", "reopened"] {
        assert_eq!(names(&again, list), Vec::<String>::new(), "{list}");
    }
    assert_eq!(notices(&next(&sandbox)), "");
    check(&sandbox);
}

fn answer_of(sandbox: &Sandbox, command: &str) -> String {
    // Run the printed command in the project, because the plan belongs to the project.
    let line = format!("cd '{}' && {command}", sandbox.project().display());
    sandbox.printed(&line).ok().out
}

#[test]
fn tasks_missing_from_the_file_are_reported_and_can_be_restored() {
    let (sandbox, _) = with_plan();
    let second = second_of(&sandbox);
    task(&sandbox, &["done", &second]);
    edited(&sandbox, "### Task 2: Show the form\n\nDraw it.\n", "");
    let imported = import_again(&sandbox, &[FILE]);
    assert_eq!(names(&imported, "vanished"), ["Task 2: Show the form"]);
    let notice = imported["notices"][0].as_str().unwrap();
    assert!(notice.contains("no longer in the plan"), "{notice}");
    assert!(!labels(&sandbox).contains(&"Task 2: Show the form".to_owned()));
    // A task that reappears in the file is the same task.
    sandbox.write(&sandbox.project().join(FILE), PLAN);
    let back = import_again(&sandbox, &[FILE]);
    assert_eq!(names(&back, "came_back"), ["Task 2: Show the form"]);
    assert_eq!(id_of(&sandbox, "Task 2: Show the form"), second);
    assert_eq!(state(&sandbox, &second), "done");
    // A restored task stays even if the file lacks it.
    edited(&sandbox, "### Task 2: Show the form\n\nDraw it.\n", "");
    let gone = import_again(&sandbox, &[FILE]);
    answer_of(
        &sandbox,
        gone["notices"][0].as_str().unwrap().split('`').nth(1).unwrap(),
    );
    assert_eq!(state(&sandbox, &second), "done", "its state is unchanged");
    import_again(&sandbox, &[FILE]);
    assert!(labels(&sandbox).contains(&"Show the form".to_owned()));
}

#[test]
fn an_active_task_is_not_removed_by_an_older_file() {
    let (sandbox, _) = with_plan();
    let second = second_of(&sandbox);
    task(&sandbox, &["start", &second, "--as", "alice"]);
    edited(&sandbox, "### Task 2: Show the form\n\nDraw it.\n", "");
    let refused = sandbox.run(&["plan", "import", FILE]).refused("active-vanish");
    assert!(refused.details[0].contains("alice"), "{refused:?}");
    assert_eq!(state(&sandbox, &second), "active");
    import_again(&sandbox, &[FILE, "--drop-active"]);
    assert!(!labels(&sandbox).contains(&"Task 2: Show the form".to_owned()));
}

#[test]
fn a_task_removed_by_hand_stays_removed() {
    let (sandbox, _) = with_plan();
    let second = second_of(&sandbox);
    task(&sandbox, &["done", &second]);
    task(&sandbox, &["rm", &second]);
    let again = import_again(&sandbox, &[FILE]);
    assert!(!labels(&sandbox).contains(&"Task 2: Show the form".to_owned()));
    let notice = again["notices"][0].as_str().unwrap();
    assert!(notice.contains("was removed from the task tree"), "{notice}");
    answer_of(&sandbox, notice.split('`').nth(1).unwrap());
    assert_eq!(state(&sandbox, &second), "done");
    check(&sandbox);
}

#[test]
fn ticked_boxes_count_only_on_request() {
    let sandbox = Sandbox::new();
    let ticked = PLAN.replace("- [ ]", "- [x]");
    import(&sandbox, FILE, &ticked);
    let first = id_of(&sandbox, "Task 1: Parse the header");
    assert_eq!(state(&sandbox, &first), "pending");
    let trusted = import_again(&sandbox, &[FILE, "--trust-checkboxes"]);
    assert_eq!(names(&trusted, "ticked"), ["Task 1: Parse the header"]);
    assert_eq!(state(&sandbox, &first), "done");
    let again = import_again(&sandbox, &[FILE, "--trust-checkboxes"]);
    assert_eq!(names(&again, "ticked"), Vec::<String>::new());
    sandbox.write(&sandbox.project().join(FILE), PLAN);
    import_again(&sandbox, &[FILE, "--trust-checkboxes"]);
    assert_eq!(state(&sandbox, &first), "done", "an empty box reopens nothing");
}

#[test]
fn a_plan_whose_file_was_renamed_keeps_its_tasks() {
    let (sandbox, id) = with_plan();
    let first = id_of(&sandbox, "Task 1: Parse the header");
    task(&sandbox, &["done", &first]);
    let before = outline(&sandbox);
    let (old, new) = (
        sandbox.project().join(FILE),
        sandbox.project().join("docs/sign-in.md"),
    );
    fs::rename(old, new).unwrap();
    let gone = notices(&next(&sandbox));
    assert!(
        gone.contains("docs/plans/login.md is missing. The imported text is kept."),
        "{gone}"
    );
    let failed = sandbox
        .run(&["plan", "import", FILE])
        .fails(4, "there is no file");
    assert!(failed.err.contains(&format!("--was {id}")), "{}", failed.err);
    let imported = import_again(&sandbox, &["docs/sign-in.md", "--was", &id]);
    assert_eq!(imported["plan"]["id"], id);
    assert_eq!(imported["plan"]["file"], "docs/sign-in.md");
    assert_eq!(outline(&sandbox), before);
    assert_eq!(state(&sandbox, &first), "done");
    assert_eq!(notices(&next(&sandbox)), "");
}

#[test]
fn a_renamed_plan_that_was_imported_as_a_new_one_can_be_corrected() {
    let (sandbox, id) = with_plan();
    let first = id_of(&sandbox, "Task 1: Parse the header");
    task(&sandbox, &["done", &first]);
    let before = outline(&sandbox);
    let new = "docs/sign-in.md";
    fs::rename(sandbox.project().join(FILE), sandbox.project().join(new)).unwrap();
    let asked = sandbox.run(&["plan", "import", new]).refused("perhaps-renamed");
    assert!(asked.details[0].contains(&format!("--was {id}")), "{asked:?}");
    let imported = import_again(&sandbox, &[new, "--new"]);
    assert_ne!(imported["plan"]["id"], id);
    let refused = sandbox
        .run(&["plan", "import", new, "--was", &id])
        .refused("imported-twice");
    sandbox.printed(refused.command()).ok();
    task(&sandbox, &["rm", imported["plan"]["root"].as_str().unwrap()]);
    let put_right = import_again(&sandbox, &[new, "--was", &id]);
    assert_eq!(put_right["plan"]["id"], id);
    assert_eq!(outline(&sandbox), before);
    let plans = sandbox.run(&["plan", "list", "--json"]).ok().json();
    assert_eq!(
        texts(&plans["data"]["plans"], "id").len(),
        2,
        "the other plan is kept outside the tree"
    );
    check(&sandbox);
}

#[test]
fn a_plan_can_be_imported_under_a_task() {
    let sandbox = Sandbox::new();
    let parent = add_one(&sandbox, &["Release"]);
    sandbox.write(&sandbox.project().join(FILE), PLAN);
    import_again(&sandbox, &[FILE, "--under", &parent]);
    assert_eq!(
        outline(&sandbox)[..2],
        ["Release pending", "  Login Implementation Plan pending"]
    );
    let other = add_one(&sandbox, &["Later"]);
    let again = import_again(&sandbox, &[FILE, "--under", &other]);
    assert_eq!(again["again"], true);
    assert_eq!(
        outline(&sandbox)[..3],
        [
            "Release pending",
            "Later pending",
            "  Login Implementation Plan pending"
        ],
        "the plan is under the named task"
    );
    sandbox
        .run(&["plan", "import", FILE, "--under", "t-zzzzzzzz"])
        .fails(4, "there is no task t-zzzzzzzz");
    task(&sandbox, &["rm", &parent]);
    sandbox
        .run(&["plan", "import", FILE, "--under", &parent])
        .refused("removed");
    check(&sandbox);
}

#[test]
fn importing_a_removed_plan_restores_it() {
    let (sandbox, id) = with_plan();
    let before = outline(&sandbox);
    let root = id_of(&sandbox, "Login Implementation Plan");
    task(&sandbox, &["rm", &root]);
    let listed = sandbox.run(&["plan", "list"]).ok().out;
    assert!(
        listed.contains("The plan was removed from the task tree."),
        "{listed}"
    );
    assert_eq!(task(&sandbox, &["next"]).out.lines().count(), 1);
    let again = import_again(&sandbox, &[FILE]);
    assert_eq!(again["plan"]["id"], id);
    assert_eq!(outline(&sandbox), before);
}

#[test]
fn a_plan_without_its_file_keeps_everything_that_was_imported() {
    let (sandbox, id) = with_plan();
    fs::remove_file(sandbox.project().join(FILE)).unwrap();
    let first = id_of(&sandbox, "Task 1: Parse the header");
    let full = shown(&sandbox, &first);
    let text = full["text"]["text"].as_str().unwrap();
    assert!(text.starts_with("### Task 1: Parse the header"), "{text}");
    assert_eq!(full["constraints"][0], "No new dependencies.");
    for plan in [FILE, &id] {
        let section = sandbox.run(&["plan", "section", plan, "2"]).ok().out;
        assert!(section.contains("Draw it."), "{section}");
    }
    let shown = sandbox.run(&["plan", "show", FILE]).ok().out;
    assert!(
        shown.contains("is missing. The imported text is kept."),
        "{shown}"
    );
    task(&sandbox, &["start", &first]);
    task(&sandbox, &["done", &first]);
    check(&sandbox);
}
