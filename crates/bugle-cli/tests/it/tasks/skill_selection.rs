//! Skill selection for a task: which skill, why, and the version that a plan pins.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::sandbox::{Sandbox, skill_file};
use crate::support::tasks::{PLAN, add_one, check, id_of, import, neutral, task, texts};

/// The JSON document of `task skill`.
#[track_caller]
fn skill(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let words: Vec<&str> = ["task", "skill", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    sandbox.run(&words).ok().json()["data"].clone()
}

/// Installs a user skill where clients look for it.
fn install(sandbox: &Sandbox, name: &str, body: &str) {
    let file = sandbox.home().join(".claude/skills").join(name).join("SKILL.md");
    sandbox.write(&file, format!("{}\n{body}\n", skill_file(name)));
}

fn plugin(sandbox: &Sandbox, version: &str) -> PathBuf {
    sandbox
        .home()
        .join(".claude/plugins/cache/market/superpowers")
        .join(version)
        .join("skills")
}

fn joined(lines: &Value) -> String {
    let lines = lines.as_array().unwrap();
    let lines: Vec<&str> = lines.iter().map(|line| line.as_str().unwrap()).collect();
    lines.join("\n")
}

#[test]
fn the_skill_of_a_task_and_its_reason_are_printed() {
    let sandbox = Sandbox::new();
    let top = add_one(&sandbox, &["Everything", "--skill", "house-style"]);
    let leaf = add_one(&sandbox, &["Fix the login", "--under", &top, "--skill", "own"]);
    let out = task(&sandbox, &["skill", &leaf]).out;
    insta::assert_snapshot!("task_skill_not_installed", neutral(&sandbox, &out));
    sandbox
        .run(&["task", "skill", &leaf, "--role", "king"])
        .fails(2, "there is no role `king`");
}

#[test]
fn a_plan_keeps_the_version_of_a_skill_that_it_started_with() {
    let sandbox = Sandbox::new();
    install(&sandbox, "house-style", "Write short lines.");
    let imported = import(&sandbox, "plan.md", PLAN);
    let root = imported["plan"]["root"].as_str().unwrap();
    task(&sandbox, &["edit", root, "--skill", "house-style"]);
    let [first, second] =
        ["Task 1: Parse the header", "Task 2: Show the form"].map(|label| id_of(&sandbox, label));
    assert!(
        skill(&sandbox, &[&first])["pinned"].is_null(),
        "viewing pins nothing"
    );
    task(&sandbox, &["start", &first]);
    let pinned = skill(&sandbox, &[&first]);
    assert_eq!(pinned["skill"], "house-style", "{pinned}");
    let hash = pinned["pinned"]["hash"].as_str().unwrap().to_owned();
    assert_eq!(joined(&pinned["notices"]), "");
    assert_eq!(texts(&pinned["history"], "skill"), ["house-style"]);
    install(&sandbox, "house-style", "Write long lines.");
    task(&sandbox, &["done", &first]);
    task(&sandbox, &["start", &second]);
    let drifted = skill(&sandbox, &[&second]);
    assert_eq!(
        drifted["pinned"]["hash"], hash,
        "the version that the plan started with"
    );
    let notice = joined(&drifted["notices"]);
    assert!(
        notice.starts_with("The skill house-style has changed: this task tree uses"),
        "{notice}"
    );
    assert_eq!(notice.lines().count(), 1);
    let at = task(&sandbox, &["next"]).out;
    assert_eq!(at.matches("has changed").count(), 1, "{at}");
    let command = notice.split('`').nth(1).unwrap();
    let upgraded = sandbox.printed(command).ok().out;
    assert!(upgraded.contains("house-style: updated"), "{upgraded}");
    let after = skill(&sandbox, &[&second]);
    assert_ne!(after["pinned"]["hash"], hash);
    assert_eq!(joined(&after["notices"]), "");
    let again = sandbox.run(&["plan", "upgrade-skills"]).ok().out;
    assert!(again.contains("house-style: unchanged"), "{again}");
    let plan = sandbox.run(&["plan", "show"]).ok().out;
    assert!(plan.contains("Pinned skill: house-style"), "{plan}");
    task(&sandbox, &["reopen", &first]);
    task(&sandbox, &["start", &first]);
    let history = skill(&sandbox, &[&first])["history"].clone();
    assert_eq!(
        texts(&history, "skill"),
        ["house-style", "house-style"],
        "both versions"
    );
    std::fs::remove_dir_all(sandbox.home().join(".claude/skills/house-style")).unwrap();
    let gone = skill(&sandbox, &[&first]);
    assert!(joined(&gone["notices"]).contains("no longer installed"), "{gone}");
    let kept = sandbox.run(&["plan", "upgrade-skills"]).ok().out;
    assert!(kept.contains("house-style: not installed"), "{kept}");
    check(&sandbox);
}

#[test]
fn the_sections_that_a_task_needs_are_named() {
    let sandbox = Sandbox::new();
    let body = "## Naming\n\n- Names must say what a thing is for.\n\n## Colours\n\nBlue is for links.\n\n## Checklist\n\n- [ ] \
                Every colour has a name.\n";
    install(&sandbox, "house-style", body);
    let id = add_one(
        &sandbox,
        &["Choose the colours of links", "--skill", "house-style"],
    );
    let choice = skill(&sandbox, &[&id]);
    let titles = texts(&choice["sections"], "title");
    for title in ["Naming", "Colours", "Checklist"] {
        assert!(titles.iter().any(|found| found == title), "{titles:?}");
    }
    let out = task(&sandbox, &["skill", &id]).out;
    let out = neutral(&sandbox, &out).replace("[DIR]/home", "[HOME]");
    insta::assert_snapshot!("task_skill_with_sections", out);
}

#[test]
fn a_rule_finds_a_skill_that_only_a_plugin_has() {
    let sandbox = Sandbox::new();
    let at = add_one(&sandbox, &["Improve error messages in the CLI parser"]);
    let missing = skill(&sandbox, &[&at]);
    let name = missing["skill"].as_str().unwrap().to_owned();
    assert_eq!(
        joined(&missing["notices"]),
        format!("The skill {name} is not installed. Continue without this skill.")
    );
    let text = format!("{}\nWatch it fail first.\n", skill_file(&name));
    sandbox.write(
        &plugin(&sandbox, "4.0.3").join(format!("{name}/SKILL.md")),
        text.as_str(),
    );
    let found = skill(&sandbox, &[&at]);
    assert_eq!(joined(&found["notices"]), "");
    assert!(
        found["installed"].as_str().unwrap().starts_with("plugin "),
        "{found}"
    );
    let woken = sandbox.run(&["wake"]).ok().out;
    assert!(woken.contains("Watch it fail first."), "{woken}");
    task(&sandbox, &["start", &at]);
    assert_eq!(skill(&sandbox, &[&at])["pinned"]["version"], "4.0.3");
    // If two plugins have that name, the user must choose one.
    let other = sandbox
        .home()
        .join(".claude/plugins/cache/market/others/1.0.0/skills");
    sandbox.write(&other.join(format!("{name}/SKILL.md")), text.as_str());
    let second = add_one(&sandbox, &["Improve the help of the CLI parser"]);
    let notice = joined(&skill(&sandbox, &[&second])["notices"]);
    let command = format!("bugle task edit {second} --skill others:{name}");
    assert_eq!(
        notice,
        format!(
            "Several plugins have a skill {name}: others:{name}, superpowers:{name}. `{command}` selects the first."
        )
    );
    sandbox.printed(&command).ok();
    assert_eq!(joined(&skill(&sandbox, &[&second])["notices"]), "");
}
