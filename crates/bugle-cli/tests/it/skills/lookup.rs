//! Skill lookup: locations, precedence, and the output about each skill.

use serde_json::Value;

use crate::support::sandbox::{Sandbox, skill_file};
use crate::support::workflows::{DISCIPLINES, THREE, built_in_skills};

fn listed(sandbox: &Sandbox) -> Vec<Value> {
    let document = sandbox.run(&["skill", "list", "--json"]).ok().json();
    assert_eq!(document["kind"], "skills");
    document["data"]["skills"].as_array().unwrap().clone()
}

fn entry(sandbox: &Sandbox, name: &str) -> Value {
    let mut found = listed(sandbox).into_iter().filter(|skill| skill["name"] == name);
    let entry = found.next().unwrap_or_else(|| panic!("{name} is not listed"));
    assert!(found.next().is_none(), "{name} is listed twice");
    entry
}

#[test]
fn the_built_in_skills_are_always_available() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = listed(&sandbox)
        .iter()
        .map(|skill| skill["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names, built_in_skills());
    for skill in listed(&sandbox) {
        assert_eq!(skill["source"], "built-in");
        let is_discipline = DISCIPLINES.contains(&skill["name"].as_str().unwrap());
        assert_eq!(skill["has_workflow"], !is_discipline);
        assert_eq!(skill["trusted"], true);
        assert_eq!(skill["problem"], Value::Null);
    }
}

#[test]
fn the_nearest_skill_of_a_name_hides_all_others() {
    let sandbox = Sandbox::new();
    let places = [
        ("project", sandbox.project().join(".bugle/skills")),
        ("project", sandbox.project().join(".claude/skills")),
        ("project", sandbox.project().join(".agents/skills")),
        ("user", sandbox.bugle_home().join("skills")),
        ("user", sandbox.home().join(".claude/skills")),
        ("user", sandbox.home().join(".agents/skills")),
    ];
    // Add skills in reverse order of precedence. Each new skill hides the earlier ones.
    for (index, (source, folder)) in places.iter().enumerate().rev() {
        let folder = folder.join("deepthink");
        sandbox.skill_at(&folder, "deepthink", THREE);
        let entry = entry(&sandbox, "deepthink");
        assert_eq!(entry["source"], *source);
        assert_eq!(entry["path"], folder.to_str().unwrap());
        let hidden: Vec<&str> = entry["shadows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hidden| hidden.as_str().unwrap())
            .collect();
        let mut expected: Vec<String> = places[index + 1..]
            .iter()
            .map(|(source, folder)| format!("{source} {}/deepthink", folder.display()))
            .collect();
        expected.push("built-in".to_owned());
        assert_eq!(hidden, expected);
    }
    let text = sandbox.run(&["skill", "list"]).ok().out;
    assert!(
        text.contains("deepthink  (project)\n"),
        "it runs no commands, so it needs no trust: {text}"
    );
    let running = "version: 1\nsteps:\n  go:\n    title: Go\n    do: Go.\n    expect: [{ command: 'true' }]\n    next: end\n";
    sandbox.skill("running", running);
    let text = sandbox.run(&["skill", "list"]).ok().out;
    assert!(text.contains("running  (project, not trusted)"), "{text}");
    assert!(text.contains("    hides built-in\n"), "{text}");
    assert_eq!(
        sandbox.start(&["deepthink"]).step,
        "first",
        "the nearest skill is started"
    );
}

#[test]
fn a_project_is_searched_from_its_root_wherever_the_command_is_run() {
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.git_init();
    let deep = sandbox.project().join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(
        sandbox.run_in(&deep, &["start", "three"]).ok().step().step,
        "first"
    );
    sandbox
        .run_in(&sandbox.elsewhere(), &["start", "three"])
        .fails(4, "there is no skill `three`");
}

#[test]
fn a_plugins_newest_version_is_used_under_the_plugins_name() {
    let sandbox = Sandbox::new();
    let cache = sandbox.home().join(".claude/plugins/cache/market/tools");
    for version in ["9.0.0", "10.0.0-rc.1", "10.0.0", "2.5"] {
        let folder = cache.join(version).join("skills/three");
        sandbox.skill_at(&folder, "three", &THREE.replace("Do the first thing.", version));
    }
    let entry = entry(&sandbox, "tools:three");
    assert_eq!(entry["source"], "plugin");
    assert_eq!(entry["path"], cache.join("10.0.0/skills/three").to_str().unwrap());
    let step = sandbox.start(&["tools:three"]);
    assert_eq!(step.action, "10.0.0");
    // The skill's name alone is enough while no other plugin has a skill of that name.
    assert_eq!(sandbox.start(&["three"]).action, "10.0.0");
    let other = sandbox.home().join(".claude/plugins/cache/market/boxes");
    sandbox.skill_at(&other.join("1.0/skills/three"), "three", THREE);
    sandbox
        .run(&["start", "three"])
        .fails(4, "there is no skill `three`");
    sandbox
        .run(&["start", "other:three"])
        .fails(4, "there is no skill `other:three`");
    sandbox.run(&["skill", "check", "tools:three"]).ok();
    sandbox
        .run(&["start", "tools:../../three"])
        .fails(4, "there is no skill");
}

#[test]
fn a_built_in_discipline_stands_in_until_a_plugin_has_the_skill() {
    let sandbox = Sandbox::new();
    let shown = |name: &str| sandbox.run(&["skill", "show", name]).ok().out;
    for name in ["brainstorm", "brainstorming", "superpowers:brainstorming"] {
        assert!(
            shown(name).starts_with("brainstorm  (built-in, no workflow)"),
            "{name}"
        );
    }
    let written = |name: &str| {
        let file = sandbox
            .project()
            .join(".claude/skills")
            .join(name)
            .join("SKILL.md");
        std::fs::read_to_string(file).is_ok_and(|text| text.contains("Excuses and answers"))
    };
    sandbox.run(&["setup", "claude", "--project"]).ok();
    assert!(
        written("brainstorm") && written("worktree"),
        "setup adds the disciplines"
    );
    let skills = sandbox
        .home()
        .join(".claude/plugins/cache/market/superpowers/6.0.0/skills");
    sandbox.write(
        &skills.join("brainstorming/SKILL.md"),
        skill_file("brainstorming"),
    );
    for name in ["brainstorming", "superpowers:brainstorming"] {
        assert!(
            shown(name).starts_with("superpowers:brainstorming  (plugin"),
            "{name}"
        );
    }
    sandbox.run(&["setup", "claude", "--project"]).ok();
    assert!(!written("brainstorm"), "the plugin's skill replaces it");
    assert!(written("worktree"));
}

#[test]
fn a_single_file_is_a_skill_without_a_workflow() {
    let sandbox = Sandbox::new();
    let file = sandbox.project().join(".claude/skills/lone.md");
    sandbox.write(&file, skill_file("lone"));
    let entry = entry(&sandbox, "lone");
    assert_eq!(entry["path"], file.to_str().unwrap());
    assert_eq!(entry["has_workflow"], false);
    let text = sandbox.run(&["skill", "list"]).ok().out;
    assert!(text.contains("lone  (project, no workflow)"), "{text}");
    let shown = sandbox.run(&["skill", "show", "lone"]).ok().out;
    assert!(shown.contains("A skill of a test."), "{shown}");
    sandbox.run(&["start", "lone"]).fails(2, "has no workflow");
    let folder = sandbox.skill("lone", THREE);
    let entry = self::entry(&sandbox, "lone");
    assert_eq!(entry["path"], folder.to_str().unwrap());
}

#[test]
fn other_files_in_a_skill_folder_are_ignored() {
    let sandbox = Sandbox::new();
    let skills = sandbox.project().join(".bugle/skills");
    sandbox.write(&skills.join("README.txt"), "not a skill");
    sandbox.write(&skills.join("empty/notes.txt"), "not a skill");
    sandbox.write(&skills.join("Bad Name/SKILL.md"), skill_file("Bad Name"));
    std::os::unix::fs::symlink("/no/such/place", skills.join("dangling")).unwrap();
    assert_eq!(
        listed(&sandbox).len(),
        built_in_skills().len(),
        "only the built-in skills"
    );
}

#[test]
fn a_skill_that_cannot_be_used_is_listed_with_the_reason() {
    let sandbox = Sandbox::with_skill("three", &THREE.replace("next: third", "next: fourth"));
    let entry = entry(&sandbox, "three");
    assert_eq!(entry["problem"], "there is no step `fourth`");
    let text = sandbox.run(&["skill", "list"]).ok().out;
    assert!(
        text.contains("cannot be used: there is no step `fourth`"),
        "{text}"
    );
    let failed = sandbox
        .run(&["start", "three"])
        .fails(3, "the skill `three` is invalid");
    // The command in the message shows the reason.
    let command = failed.err.split('`').nth(3).unwrap();
    let check = sandbox.printed(command).exits(3);
    assert!(check.out.contains("error[unknown-target]"), "{}", check.out);
}

#[test]
fn show_prints_the_params_and_steps_of_a_skill() {
    let sandbox = Sandbox::new();
    let shown = sandbox.run(&["skill", "show", "deepthink"]).ok().out;
    for part in [
        "deepthink  (built-in)",
        "question",
        "(required)",
        "default \"auto\"",
        "plan",
        "skip: synthesize",
    ] {
        assert!(shown.contains(part), "{part:?} is not in:\n{shown}");
    }
    let document = sandbox.run(&["skill", "show", "deepthink", "--json"]).ok().json();
    assert_eq!(document["kind"], "skill");
    assert_eq!(document["data"]["params"][2]["name"], "mode");
    assert_eq!(document["data"]["params"][2]["default"], "\"auto\"");
    let command = document["data"]["command"].as_str().unwrap();
    assert_eq!(
        sandbox.printed(command).ok().step().skill,
        "deepthink",
        "the command runs as printed"
    );
    sandbox
        .run(&["skill", "show", "deepthing"])
        .fails(4, "Did you mean `deepthink`?");
}

#[test]
fn a_skill_can_be_named_by_a_path() {
    let sandbox = Sandbox::new();
    let folder = sandbox.elsewhere().join("three");
    sandbox.skill_at(&folder, "three", THREE);
    let workflow = folder.join("workflow.yaml");
    for path in [
        folder.to_str().unwrap(),
        workflow.to_str().unwrap(),
        "../elsewhere/three",
    ] {
        assert_eq!(
            sandbox.run(&["skill", "check", path]).ok().out,
            "three: ok\n",
            "{path}"
        );
    }
    assert_eq!(
        sandbox.run_in(&folder, &["skill", "check", "."]).ok().out,
        "three: ok\n"
    );
    sandbox.run(&["skill", "graph", "../elsewhere/three"]).ok();
    sandbox
        .run(&["skill", "check", "../elsewhere/four"])
        .fails(4, "there is no skill");
}

/// Conventions are injected whole or by section, without their front matter, and pinned with the run.
#[test]
fn a_step_gets_the_conventions_it_requests() {
    let workflow = "version: 1\nsteps:\n  judge:\n    title: Judge\n    do: Judge it.\n    conventions: [severity, 'code-quality#Imprecise names', ours]\n    next: end\n";
    let sandbox = Sandbox::with_skill("judging", workflow);
    let missing = sandbox.run(&["skill", "check", "judging"]).exits(3).out;
    assert!(missing.contains("there is no convention `ours`"), "{missing}");
    let own = sandbox.project().join(".bugle/conventions/ours.md");
    sandbox.write(
        &own,
        "---\nname: ours\ndescription: What we agreed on\nroles: [orchestrator]\n---\n\n## Tone\n\nKindly.\n",
    );
    sandbox.run(&["skill", "check", "judging"]).ok();
    let step = sandbox.run(&["start", "judging"]).ok().out;
    for part in ["Kindly.", "## Imprecise names", "must", "name=\"ours\""] {
        assert!(step.contains(part), "{part} is missing in {step}");
    }
    assert!(!step.contains("description: What we agreed on"), "{step}");
    assert!(
        !step.contains("## Duplicated logic"),
        "only the requested section"
    );
    sandbox.write(
        &own,
        "---\nname: ours\ndescription: x\nroles: [orchestrator]\n---\n\n## Tone\n\nHarshly.\n",
    );
    let again = sandbox.run(&["step"]).ok().out;
    assert!(
        again.contains("Kindly.") && again.contains("has changed since this run started"),
        "{again}"
    );
    let list = sandbox.run(&["convention", "list"]).ok().out;
    assert!(
        list.contains("ours  (project)") && list.contains("severity  (built-in)"),
        "{list}"
    );
    sandbox
        .run(&["convention", "show", "ours#Nothing"])
        .fails(4, "has no section `Nothing`");
}
