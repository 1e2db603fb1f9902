//! The printed skill of a task, and the printed command that updates a pinned skill.

use crate::support::sandbox::{Sandbox, skill_file};
use crate::support::tasks::{PLAN, add_one, id_of, import, neutral, task};

/// Installs a user skill where clients look for it.
fn install(sandbox: &Sandbox, name: &str, body: &str) {
    let file = sandbox.home().join(".claude/skills").join(name).join("SKILL.md");
    sandbox.write(&file, format!("{}\n{body}\n", skill_file(name)));
}

#[test]
fn the_skill_of_a_task_and_its_reason_are_printed() {
    let sandbox = Sandbox::new();
    let top = add_one(&sandbox, &["Everything", "--skill", "house-style"]);
    let leaf = add_one(&sandbox, &["Fix the login", "--under", &top, "--skill", "own"]);
    let out = task(&sandbox, &["skill", &leaf]).out;
    insta::assert_snapshot!("task_skill_not_installed", neutral(&sandbox, &out));
}

#[test]
fn the_command_that_updates_a_pinned_skill_runs_as_printed() {
    let sandbox = Sandbox::new();
    install(&sandbox, "house-style", "Write short lines.");
    let imported = import(&sandbox, "plan.md", PLAN);
    let root = imported["plan"]["root"].as_str().unwrap();
    task(&sandbox, &["edit", root, "--skill", "house-style"]);
    let first = id_of(&sandbox, "Task 1: Parse the header");
    task(&sandbox, &["start", &first]);
    install(&sandbox, "house-style", "Write long lines.");
    let at = task(&sandbox, &["next"]).out;
    assert_eq!(at.matches("has changed").count(), 1, "{at}");
    let (_, behind) = at.split_once(" is installed. `").unwrap();
    let (command, _) = behind.split_once('`').unwrap();
    let upgraded = sandbox.printed(command).ok().out;
    assert!(upgraded.contains("house-style: updated"), "{upgraded}");
    assert!(!task(&sandbox, &["next"]).out.contains("has changed"));
    let plan = sandbox.run(&["plan", "show"]).ok().out;
    assert!(plan.contains("Pinned skill: house-style"), "{plan}");
}

#[test]
fn the_sections_that_a_task_needs_are_printed() {
    let sandbox = Sandbox::new();
    let body = "## Naming\n\n- Names must say what a thing is for.\n\n## Colours\n\nBlue is for links.\n\n## Checklist\n\n- [ ] \
                Every colour has a name.\n";
    install(&sandbox, "house-style", body);
    let id = add_one(
        &sandbox,
        &["Choose the colours of links", "--skill", "house-style"],
    );
    let out = task(&sandbox, &["skill", &id]).out;
    let out = neutral(&sandbox, &out).replace("[DIR]/home", "[HOME]");
    insta::assert_snapshot!("task_skill_with_sections", out);
}
