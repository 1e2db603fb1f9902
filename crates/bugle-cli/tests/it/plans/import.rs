//! The output of `bugle plan` for a first import, for an import after an edit, and for a section.

use crate::support::sandbox::Sandbox;
use crate::support::tasks::{PLAN, check, id_of, import, neutral, outline, task};

const FILE: &str = "docs/plans/login.md";

/// A project with an imported plan.
fn with_plan() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let imported = import(&sandbox, FILE, PLAN);
    let id = imported["plan"]["id"].as_str().unwrap().to_owned();
    (sandbox, id)
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
}

#[test]
fn an_edited_plan_is_imported_again_with_the_printed_command() {
    let (sandbox, _) = with_plan();
    let first = id_of(&sandbox, "Task 1: Parse the header");
    task(&sandbox, &["done", &first]);
    let edited = PLAN
        .replace("### Task 3: Keep the session", "### Task 4: Keep the session")
        .replace(
            "### Task 2: Show the form",
            "### Task 2: Draw a logo\n\nIn colour.\n\n### Task 3: Show the form",
        )
        .replace("Store the cookie.", "Store the cookie for a day.");
    sandbox.write(&sandbox.project().join(FILE), edited);
    let next = task(&sandbox, &["next"]).out;
    let (_, behind) = next.split_once("has changed since it was imported").unwrap();
    let command = behind.split('`').nth(1).unwrap();
    let said = sandbox.printed(command).ok().out;
    insta::assert_snapshot!("plan_import_again", neutral(&sandbox, &said));
}

#[test]
fn a_section_is_printed_exactly_as_in_the_file() {
    let sandbox = Sandbox::new();
    let odd = "# Odd\r\n\r\n## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  \r\n";
    let other = sandbox.elsewhere().join("other.md");
    sandbox.write(&other, odd);
    let words = ["plan", "section", other.to_str().unwrap(), "1"];
    assert_eq!(
        sandbox.run(&words).ok().out,
        "## Task 1: Tabs\tand \u{1b}[0m escapes\r\n\r\n    code  \n"
    );
}
