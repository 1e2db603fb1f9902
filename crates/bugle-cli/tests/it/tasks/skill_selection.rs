//! Skill selection for a task: which skill, why, and the version that a plan pins.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::sandbox::{Sandbox, skill_file};
use crate::support::tasks::{PLAN, add, add_one, check, id_of, import, neutral, next, shown, task, texts};

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
fn misleading_titles_get_the_right_skill_and_name_the_rule() {
    let sandbox = Sandbox::new();
    for (title, right) in [
        (
            "Improve error messages in the CLI parser",
            "test-driven-development",
        ),
        ("Add project settings page", "test-driven-development"),
        ("Merge sort: implement stable variant", "test-driven-development"),
        ("Open pull request", "finishing-a-development-branch"),
        ("Write plan for worktree cleanup", "writing-plans"),
        ("Execute plan", "subagent-driven-development"),
        (
            "Investigate intermittent 500 errors on login",
            "systematic-debugging",
        ),
        ("Add code review webhook endpoint", "test-driven-development"),
    ] {
        let id = add_one(&sandbox, &[title]);
        let choice = skill(&sandbox, &[&id]);
        let chosen = choice["skill"].as_str().unwrap_or("none").to_owned();
        let name = chosen.rsplit(':').next().unwrap();
        assert_eq!(name, right, "{title}: {choice}");
        assert_eq!(choice["reason"], "built_in_rule", "{title}");
        assert!(
            choice["because"]
                .as_str()
                .unwrap()
                .contains("A built-in rule matches "),
            "{choice}"
        );
        assert!(choice["reminders"].as_array().unwrap().len() <= 3);
    }
}

#[test]
fn explicit_and_inherited_skills_take_precedence_over_rules() {
    let sandbox = Sandbox::new();
    let top = add_one(&sandbox, &["Everything", "--skill", "house-style"]);
    let middle = add_one(&sandbox, &["Some of it", "--under", &top]);
    let leaf = add_one(&sandbox, &["Fix the login", "--under", &middle]);
    let inherited = skill(&sandbox, &[&leaf]);
    assert_eq!(inherited["skill"], "house-style");
    assert_eq!(inherited["reason"], "inherited");
    assert_eq!(inherited["because"], "Inherited from \"Everything\".");
    task(&sandbox, &["edit", &middle, "--skill", "nearer"]);
    assert_eq!(skill(&sandbox, &[&leaf])["skill"], "nearer");
    task(&sandbox, &["edit", &leaf, "--skill", "own"]);
    let own = skill(&sandbox, &[&leaf]);
    assert_eq!(
        (own["skill"].as_str(), own["reason"].as_str()),
        (Some("own"), Some("explicit"))
    );
    let out = task(&sandbox, &["skill", &leaf]).out;
    insta::assert_snapshot!("task_skill_not_installed", neutral(&sandbox, &out));
    let vague = add_one(&sandbox, &["Miscellany"]);
    let nothing = skill(&sandbox, &[&vague]);
    assert!(nothing["skill"].is_null(), "{nothing}");
    assert_eq!(nothing["reason"], "nothing");
    let role = skill(&sandbox, &[&vague, "--role", "developer"]);
    assert_eq!(role["reason"], "role", "{role}");
    sandbox
        .run(&["task", "skill", &vague, "--role", "king"])
        .fails(2, "there is no role `king`");
}

#[test]
fn project_rules_take_precedence_over_user_rules_and_both_over_built_in_rules() {
    let sandbox = Sandbox::new();
    let ids = add(
        &sandbox,
        &["Deploy the service", "Tidy the attic", "Fix the login"],
    );
    let home = sandbox.bugle_home().join("skill-rules.yaml");
    sandbox.write(
        &home,
        "rules:\n  - verbs: [deploy]\n    skill: team:deploying\n  - verbs: [tidy]\n    skill: none\n",
    );
    let first = skill(&sandbox, &[&ids[0]]);
    assert_eq!(first["skill"], "team:deploying");
    assert_eq!(first["reason"], "user_rule");
    let none = skill(&sandbox, &[&ids[1]]);
    assert!(none["skill"].is_null());
    assert_eq!(none["reason"], "user_rule");
    sandbox.write(
        &sandbox.project().join(".bugle/skill-rules.yaml"),
        "rules:\n  - verbs: [deploy]\n    skill: here-deploying\n",
    );
    assert_eq!(skill(&sandbox, &[&ids[0]])["skill"], "here-deploying");
    assert_eq!(skill(&sandbox, &[&ids[2]])["reason"], "built_in_rule");
    let elsewhere = sandbox
        .run_in(&sandbox.elsewhere(), &["task", "skill", &ids[0], "--json"])
        .ok()
        .json();
    assert_eq!(
        elsewhere["data"]["skill"], "team:deploying",
        "only the user's own rules apply there"
    );
}

#[test]
fn a_mistake_in_the_rules_is_reported_with_its_line_and_the_other_rules_apply() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Deploy the service"]);
    let file = sandbox.bugle_home().join("skill-rules.yaml");
    sandbox.write(
        &file,
        "rules:\n  - verbs: [deploy]\n    skill: deploying\n  - verbs: [tidy]\n    skill: 'not a name'\n",
    );
    let choice = skill(&sandbox, &[&id]);
    assert_eq!(choice["skill"], "deploying");
    let notice = joined(&choice["notices"]);
    assert!(notice.contains("skill-rules.yaml:5: "), "{notice}");
    let next_notices = joined(&next(&sandbox)["position"]["notices"]);
    assert!(next_notices.contains("skill-rules.yaml:5: "), "{next_notices}");
    for (text, words) in [
        ("rules: [\n", "skill-rules.yaml:"),
        ("rules:\n  - verb: [deploy]\n    skill: x\n", "skill-rules.yaml:2"),
        ("just words\n", "skill-rules.yaml:1"),
    ] {
        sandbox.write(&file, text);
        let choice = skill(&sandbox, &[&id]);
        assert!(joined(&choice["notices"]).contains(words), "{text:?}: {choice}");
        assert_ne!(choice["reason"], "user_rule");
        task(&sandbox, &["next"]);
    }
    sandbox.write(&file, [0xff, 0xfe, 0x00]);
    assert!(joined(&skill(&sandbox, &[&id])["notices"]).contains("not valid UTF-8"));
    sandbox.write(&file, "# nothing yet\n");
    assert_eq!(
        joined(&skill(&sandbox, &[&id])["notices"])
            .matches("skill-rules")
            .count(),
        0
    );
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
fn pins_belong_to_one_plan_only() {
    let sandbox = Sandbox::new();
    install(&sandbox, "house-style", "One.");
    let trees = add(&sandbox, &["a", "b", "--skill", "house-style"]);
    task(&sandbox, &["start", &trees[0]]);
    install(&sandbox, "house-style", "Two.");
    task(&sandbox, &["start", &trees[1]]);
    let hash = |id: &str| {
        skill(&sandbox, &[id])["pinned"]["hash"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_ne!(hash(&trees[0]), hash(&trees[1]));
    sandbox.run(&["plan", "upgrade-skills", &trees[0]]).ok();
    assert_eq!(hash(&trees[0]), hash(&trees[1]));
}

#[test]
fn a_plugins_highest_version_number_is_used_in_both_layouts() {
    let sandbox = Sandbox::new();
    for version in ["9.0.0", "10.0.0", "10.0.0-beta.1"] {
        let folder = plugin(&sandbox, version);
        sandbox.write(
            &folder.join("polish/SKILL.md"),
            format!("{}\n{version}\n", skill_file("polish")),
        );
        sandbox.write(
            &folder.join("rinse.md"),
            format!("{}\n{version}\n", skill_file("rinse")),
        );
    }
    for name in ["polish", "rinse"] {
        let address = format!("superpowers:{name}");
        let id = add_one(&sandbox, &["Shine", "--skill", &address]);
        let before = skill(&sandbox, &[&id]);
        let installed = before["installed"].as_str().unwrap();
        assert!(installed.contains("/superpowers/10.0.0/skills/"), "{installed}");
        task(&sandbox, &["start", &id]);
        let pin = skill(&sandbox, &[&id])["pinned"].clone();
        assert_eq!(pin["version"], "10.0.0", "{pin}");
        let out = task(&sandbox, &["skill", &id]).out;
        assert!(out.contains("Version: 10.0.0, "), "{out}");
    }
    let newer = plugin(&sandbox, "10.1.0");
    sandbox.write(
        &newer.join("polish/SKILL.md"),
        format!("{}\nnewer\n", skill_file("polish")),
    );
    let at = id_of(&sandbox, "Shine");
    let notice = joined(&skill(&sandbox, &[&at])["notices"]);
    assert!(
        notice.contains("uses 10.0.0 (")
            && notice.contains("but 10.1.0 (")
            && notice.contains(") is installed."),
        "{notice}"
    );
}

#[test]
fn a_skill_is_found_in_the_project_first_in_both_layouts() {
    let sandbox = Sandbox::new();
    let id = add_one(&sandbox, &["Shine", "--skill", "polish"]);
    let missing = skill(&sandbox, &[&id]);
    assert!(missing["installed"].is_null());
    assert_eq!(
        joined(&missing["notices"]),
        "The skill polish is not installed. Continue without this skill."
    );
    let started = task(&sandbox, &["start", &id]).out;
    assert!(started.contains("polish is not installed."), "{started}");
    assert!(shown(&sandbox, &id)["skill"]["pinned"].is_null());
    for (file, source) in [
        (sandbox.home().join(".claude/skills/polish.md"), "user "),
        (sandbox.bugle_home().join("skills/polish/SKILL.md"), "user "),
        (sandbox.project().join(".agents/skills/polish.md"), "project "),
        (
            sandbox.project().join(".claude/skills/polish/SKILL.md"),
            "project ",
        ),
    ] {
        sandbox.write(&file, skill_file("polish"));
        let installed = skill(&sandbox, &[&id])["installed"].as_str().unwrap().to_owned();
        let expected = if file.ends_with("SKILL.md") {
            file.parent().unwrap().to_owned()
        } else {
            file
        };
        assert_eq!(installed, format!("{source}{}", expected.display()));
    }
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
