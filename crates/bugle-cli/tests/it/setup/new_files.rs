//! The files, skills and plugins that setup writes for each client.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::{CLIENTS, written};
use crate::support::sandbox::{Sandbox, answer};

#[test]
fn setup_writes_each_clients_files_in_a_project() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        sandbox.run(&["setup", client, "--instructions"]).ok();
        insta::assert_snapshot!(format!("setup_{client}"), written(&sandbox));
    }
}

#[test]
fn setup_writes_each_clients_files_for_a_user() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        sandbox.run(&["setup", client, "--user"]).ok();
        let names: Vec<String> = sandbox
            .files()
            .into_keys()
            .map(|path| path.strip_prefix(sandbox.root()).unwrap().display().to_string())
            .filter(|path| !path.contains("skills/") || path.contains("decision-critic"))
            .filter(|path| !path.contains("agents/bugle-") || path.contains("bugle-explore"))
            .collect();
        insta::assert_snapshot!(format!("setup_{client}_user"), names.join("\n"));
    }
}

#[test]
fn a_second_setup_changes_nothing_and_removal_leaves_nothing() {
    for client in CLIENTS {
        for scope in ["--project", "--user"] {
            let sandbox = Sandbox::new();
            sandbox.put("README.md", "mine\n");
            let before = sandbox.files();
            sandbox.run(&["setup", client, scope, "--check"]).exits(1);
            sandbox.run(&["setup", client, scope, "--instructions"]).ok();
            let after = sandbox.files();
            assert_ne!(before, after);
            let again = sandbox.run(&["setup", client, scope]).ok();
            assert!(again.out.starts_with("Nothing changed"), "{}", again.out);
            assert_eq!(after, sandbox.files());
            sandbox.run(&["setup", client, scope, "--check"]).ok();
            sandbox.run(&["setup", client, scope, "--remove"]).ok();
            assert_eq!(before, sandbox.files(), "{client} {scope}");
            let again = sandbox.run(&["setup", client, scope, "--remove"]).ok();
            assert!(again.out.starts_with("Nothing changed"), "{}", again.out);
        }
    }
}

#[test]
fn setup_ends_with_its_check_and_a_failed_check_with_the_setup() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        for (scope, option) in [("--project", ""), ("--user", " --user")] {
            let check = sandbox.run(&["setup", client, scope, "--check"]).exits(1).out;
            let last = check.lines().last().unwrap();
            let setup = format!("To complete the setup: bugle setup {client}{option}");
            assert_eq!(last, setup);
            let made = sandbox.run(&["setup", client, scope]).ok().out;
            let end = format!("\nTo check the setup: bugle doctor {client}{option}\n");
            assert!(made.ends_with(&end), "{made}");
            let warns = made.contains("\nDon't commit ");
            assert_eq!(warns, scope == "--project", "{made}");
            let passed = sandbox.run(&["setup", client, scope, "--check"]).ok().out;
            assert!(!passed.contains("Set it up"), "{passed}");
            let removed = sandbox.run(&["setup", client, scope, "--remove"]).ok().out;
            assert!(!removed.contains("\n\n"), "no advice after a removal: {removed}");
        }
    }
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.put(
        ".mcp.json",
        "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"o\"}\n  }\n}\n",
    );
    let before = sandbox.files();
    let diff = sandbox.run(&["setup", "claude", "--dry-run"]).ok().out;
    assert_eq!(before, sandbox.files());
    assert!(!sandbox.bugle_home().join("setup.json").exists());
    let file = format!("+++ b{}", sandbox.project().join(".mcp.json").display());
    let part = diff.split("--- ").find(|part| part.contains(&file)).unwrap();
    insta::assert_snapshot!("setup_dry_run", sandbox.neutral(part).replace(['\r'], ""));
    sandbox.run(&["setup", "claude"]).ok();
    let diff = sandbox
        .run(&["setup", "claude", "--remove", "--dry-run"])
        .ok()
        .out;
    assert!(diff.contains("+++ /dev/null"), "{diff}");
    assert!(sandbox.project().join(".claude/settings.json").exists());
    let json = sandbox.run(&["setup", "claude", "--check", "--json"]).ok().json();
    assert_eq!(json["kind"], "setup");
    assert_eq!(json["data"]["files"][0]["state"], "present");
}

#[test]
fn the_workflows_still_run_when_clients_have_skill_stubs() {
    let sandbox = Sandbox::new();
    sandbox.run(&["setup", "claude"]).ok();
    sandbox.run(&["setup", "codex", "--user"]).ok();
    let step = sandbox.start(&["decision-critic", "decision=Use tabs"]);
    assert_eq!(step.skill, "decision-critic");
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let skills = list["data"]["skills"].as_array().unwrap();
    let entry = skills
        .iter()
        .find(|skill| skill["name"] == "decision-critic")
        .unwrap();
    assert_eq!(entry["source"], "built-in");
    assert_eq!(entry["shadows"], serde_json::json!([]));
    sandbox.run(&["skill", "check"]).ok();
    // Setup does not touch a skill that the user put into the folder.
    let own = sandbox.put(
        ".claude/skills/planner/SKILL.md",
        "---\nname: planner\ndescription: Mine.\n---\nMine.\n",
    );
    let answer = sandbox.run(&["setup", "claude"]).ok();
    assert!(
        answer
            .out
            .contains("does not belong to Bugle, so it was not changed."),
        "{}",
        answer.out
    );
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert!(fs::read_to_string(own).unwrap().contains("Mine."));
}

#[test]
fn a_changed_skill_stub_is_not_deleted() {
    let sandbox = Sandbox::new();
    sandbox.run(&["setup", "claude"]).ok();
    let path = ".claude/skills/planner/SKILL.md";
    let changed = format!("{}\nAlso think of the tests.\n", sandbox.text(path));
    sandbox.put(path, &changed);
    let removed = "Removed claude (project). Your runs, plans and messages are kept.\n";
    for (arguments, end, says_why) in [
        (vec!["--check"], "claude (project) is set up.\n", true),
        (
            vec![],
            "Nothing changed: claude (project) is already set up.\n",
            true,
        ),
        (vec!["--remove"], removed, true),
        (
            vec!["--remove"],
            "Nothing changed: claude (project) is not set up.\n",
            false,
        ),
        (vec![], "To check the setup: bugle doctor claude\n", true),
        (vec!["--remove"], removed, false),
    ] {
        let answer = sandbox
            .run(&[&["setup", "claude"], arguments.as_slice()].concat())
            .ok();
        let explains = answer.out.contains("kept: you have edited the file");
        assert_eq!(explains, says_why, "{}", answer.out);
        assert!(answer.out.contains(end), "{}", answer.out);
        assert_eq!(sandbox.text(path), changed, "{arguments:?}");
    }
    sandbox.start(&["planner", "task=anything"]);
}

#[test]
fn only_the_user_can_read_new_user_settings() {
    let sandbox = Sandbox::new();
    sandbox.run(&["setup", "claude", "--user"]).ok();
    for path in [".claude.json", ".claude/settings.json"] {
        let mode = fs::metadata(sandbox.home().join(path))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{path}");
    }
}

#[test]
fn clients_that_share_skills_do_not_remove_each_others() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    sandbox.run(&["setup", "codex"]).ok();
    sandbox.run(&["setup", "gemini"]).ok();
    let stranger = sandbox.run(&["setup", "opencode", "--remove"]).ok().out;
    assert_eq!(stranger, "Nothing changed: opencode (project) is not set up.\n");
    let removed = sandbox.run(&["setup", "codex", "--remove"]).ok().out;
    assert!(
        removed.contains("\nshared: another client uses the file"),
        "{removed}"
    );
    sandbox.run(&["setup", "gemini", "--check"]).ok();
    assert!(!sandbox.project().join(".codex").exists());
    sandbox.run(&["setup", "gemini", "--remove"]).ok();
    assert_eq!(before, sandbox.files());
}

#[test]
fn the_folders_set_in_the_environment_are_used() {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.bugle(arguments);
        let at = |name: &str| sandbox.home().join(name);
        answer(
            command
                .env("CODEX_HOME", at("codex"))
                .env("CLAUDE_CONFIG_DIR", at("claude"))
                .env("XDG_CONFIG_HOME", at("config")),
        )
        .ok()
    };
    for client in CLIENTS {
        run(&["setup", client, "--user"]);
    }
    for path in [
        "codex/hooks.json",
        "codex/config.toml",
        "claude/settings.json",
        "claude/.claude.json",
        "config/opencode/opencode.json",
        "config/opencode/plugin/bugle.js",
    ] {
        assert!(sandbox.home().join(path).is_file(), "{path}");
    }
    assert!(!sandbox.home().join(".claude").exists());
}

#[test]
fn instructions_go_where_they_are_read() {
    let sandbox = Sandbox::new();
    sandbox.put("AGENTS.md", "# Mine\r\n\r\nDo well.");
    sandbox.run(&["setup", "claude", "--instructions"]).ok();
    assert!(
        !sandbox.project().join("CLAUDE.md").exists(),
        "this file would hide the other one"
    );
    let text = sandbox.text("AGENTS.md");
    assert!(
        text.starts_with("# Mine\r\n\r\nDo well.\r\n\r\n<!-- bugle"),
        "{text}"
    );
    assert!(!text.replace("\r\n", "").contains('\n'));
    sandbox.put("AGENTS.md", &format!("{text}More.\r\n"));
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(sandbox.text("AGENTS.md"), "# Mine\r\n\r\nDo well.\r\nMore.\r\n");
}

#[test]
fn a_plugin_is_a_complete_folder() {
    for client in ["claude", "codex"] {
        let sandbox = Sandbox::new();
        sandbox
            .run(&["plugin", "build", "--client", client, "--output", "out"])
            .ok();
        insta::assert_snapshot!(format!("plugin_{client}"), written(&sandbox));
        sandbox
            .run(&["plugin", "build", "--client", client, "--output", "out"])
            .fails(2, "not an empty folder");
    }
}

#[test]
fn the_installed_plugins_skill_runs_the_built_in_one() {
    let sandbox = Sandbox::new();
    let cache = sandbox.home().join(".claude/plugins/cache/bugle/bugle/1.0.0");
    let output: &Path = &cache;
    sandbox
        .run(&["plugin", "build", "--output", output.to_str().unwrap()])
        .ok();
    let step = sandbox.start(&["bugle:decision-critic", "decision=Use tabs"]);
    assert_eq!(step.skill, "decision-critic");
}

#[test]
fn git_ignores_the_files_only_on_request() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let status = || {
        sandbox
            .tool(&sandbox.project(), "git", &["status", "--short", "-uall"])
            .ok()
            .out
    };
    let exclude = || sandbox.text(".git/info/exclude");
    let before = (status(), exclude());
    let made = sandbox.run(&["setup", "claude", "codex"]).ok().out;
    for line in [
        "\nDon't commit .claude/settings.json and .mcp.json: they contain the path to bugle on this machine. Do commit your own skills in .bugle/skills.\n",
        "\nDon't commit .codex/hooks.json, .codex/config.toml and .codex/rules/bugle.rules: they contain the path to bugle on this machine. Do commit",
        "\nTo make git ignore the setup's untracked files in this clone: bugle setup codex --git-exclude\n",
        "\nTo set up all your projects without adding files to them: bugle setup codex --remove && bugle setup codex --user\n",
    ] {
        assert!(made.contains(line), "{made}");
    }
    assert!(status().contains("?? .claude/settings.json"));
    sandbox.run(&["setup", "claude", "codex", "--git-exclude"]).ok();
    assert_eq!(status(), before.0);
    // A later setup updates the list even without `--git-exclude`.
    sandbox.run(&["skill", "new", "mine"]).ok();
    sandbox.run(&["setup", "claude"]).ok();
    assert!(!status().contains(".claude"), "{}", status());
    fs::remove_dir_all(sandbox.project().join(".bugle")).unwrap();
    sandbox.run(&["setup", "claude", "codex", "--remove"]).ok();
    assert_eq!((status(), exclude()), before);
}

#[test]
fn git_cannot_ignore_files_outside_a_repository() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    sandbox
        .run(&["setup", "claude", "--git-exclude"])
        .fails(2, "is not in a git repository");
    assert_eq!(sandbox.files(), before);
}
