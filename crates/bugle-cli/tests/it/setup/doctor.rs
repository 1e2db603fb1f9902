//! `bugle doctor` finds problems and changes none of the user's files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::clinic::{clinic, doctor, findings, program, trust_project, wrong};
use crate::support::sandbox::{Sandbox, answer};
use crate::support::workflows::THREE;

/// Every file under a folder, with its bytes.
fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path);
            } else if entry.file_type().unwrap().is_file() {
                files.insert(path.display().to_string(), fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Replaces the time that a hook took.
fn without_times(sandbox: &Sandbox, text: &str) -> String {
    let lines = sandbox.neutral(text);
    let line = |line: &str| match line.split_once("answers in ") {
        Some((before, _)) => format!("{before}answers in [N] ms."),
        None => line.to_owned(),
    };
    lines.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_complete_setup_passes_and_no_file_changes() {
    for client in ["claude", "gemini", "opencode", "qwen", "copilot", "grok"] {
        let sandbox = clinic(&[client]);
        trust_project(&sandbox, client);
        sandbox.skill("three", THREE);
        sandbox.run(&["setup", client]).ok();
        sandbox.start(&["three"]);
        let before = snapshot(sandbox.root());
        let found = doctor(&sandbox, &[]).ok();
        // Even a read changes SQLite's shared-memory file.
        let own = |files: BTreeMap<String, Vec<u8>>| -> BTreeMap<String, Vec<u8>> {
            let keep = |(name, _): &(String, Vec<u8>)| !name.ends_with("-shm");
            files.into_iter().filter(keep).collect()
        };
        assert!(
            own(before) == own(snapshot(sandbox.root())),
            "{client}: a file has changed"
        );
        insta::assert_snapshot!(format!("doctor_{client}"), without_times(&sandbox, &found.out));
    }
}

#[test]
fn a_removed_hook_is_missing_even_if_another_client_shares_the_server() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    fs::remove_file(sandbox.project().join(".claude/settings.json")).unwrap();
    let found = doctor(&sandbox, &["claude", "--json"]).exits(1);
    assert_eq!(wrong(&found), ["claude.hooks"]);
}

#[test]
fn a_sandbox_that_shuts_bugle_out_is_a_problem_with_the_setup_command() {
    let sandbox = clinic(&["codex"]);
    sandbox.run(&["setup", "codex"]).ok();
    let found = doctor(&sandbox, &["codex", "--json"]);
    assert_eq!(findings(&found)["codex.sandbox"].0, "well");
    fs::remove_file(sandbox.project().join(".codex/rules/bugle.rules")).unwrap();
    let config = sandbox.text(".codex/config.toml");
    sandbox.put(".codex/config.toml", &config.replace("writable_roots", "other"));
    let found = doctor(&sandbox, &["codex", "--json"]);
    let (state, says, remedy) = findings(&found)["codex.sandbox"].clone();
    assert_eq!((state.as_str(), remedy.as_str()), ("wrong", "bugle setup codex"));
    assert!(says.contains("bugle.rules is missing"), "{says}");
    assert!(
        says.contains("permission to write the store is missing"),
        "{says}"
    );
}

#[test]
fn an_edited_stub_is_named_and_is_no_problem() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    let stub = sandbox.project().join(".claude/skills/planner/SKILL.md");
    let text = fs::read_to_string(&stub).unwrap();
    sandbox.write(&stub, format!("{text}\nMine.\n"));
    let found = doctor(&sandbox, &["claude", "--json"]).ok();
    let (state, says, _) = findings(&found)["claude.skills"].clone();
    let end = format!(
        " up to date. Left unchanged (edited since setup): {}.",
        stub.display()
    );
    assert!(state == "well" && says.ends_with(&end), "{says}");
}

#[test]
fn a_login_shell_without_bugle_is_a_note_for_clients_that_use_none() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    fs::remove_file(sandbox.home().join(".profile")).unwrap();
    let found = doctor(&sandbox, &["--json"]).ok();
    let path = findings(&found)["PATH"].clone();
    assert_eq!(path.0, "unsure");
    assert!(
        path.1
            .contains("Clients that run commands in a login shell, such as Codex,"),
        "{path:?}"
    );
}

#[test]
fn without_a_setup_doctor_prints_the_setup_command() {
    let sandbox = clinic(&["claude"]);
    let found = doctor(&sandbox, &["--json"]).exits(1);
    let setup = findings(&found)["claude.setup"].clone();
    assert_eq!(
        (setup.0.as_str(), setup.2.as_str()),
        ("unsure", "bugle setup claude")
    );
    let named = doctor(&sandbox, &["claude", "--user", "--json"]).exits(1);
    let setup = findings(&named)["claude.setup"].clone();
    assert_eq!(
        (setup.0.as_str(), setup.2.as_str()),
        ("wrong", "bugle setup claude --user")
    );
    assert!(!sandbox.bugle_home().exists(), "checking creates no store");
    let without = Sandbox::new();
    let remedy = "To set up a client, run `bugle setup CLIENT`. The clients are claude, codex, gemini, opencode, qwen, copilot, grok.";
    let found = doctor(&without, &[]).exits(1);
    assert!(found.out.contains("No client is set up."), "{}", found.out);
    assert!(found.out.contains(remedy), "{}", found.out);
    // A client that is not set up is not an error if another client is set up.
    program(&sandbox, "codex", "echo 1.2.3");
    sandbox.run(&["setup", "claude", "--user"]).ok();
    let found = doctor(&sandbox, &["--json"]).ok();
    assert_eq!(findings(&found)["codex.setup"].0, "unsure");
}

#[test]
fn missing_and_outdated_parts_are_named_with_the_command_that_fixes_them() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    let settings = sandbox.project().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("\"PreCompact\"", "\"Precompact\"")).unwrap();
    fs::remove_file(sandbox.project().join(".mcp.json")).unwrap();
    fs::remove_dir_all(sandbox.project().join(".claude/skills/planner")).unwrap();
    let found = doctor(&sandbox, &["--json"]).exits(1);
    assert_eq!(
        wrong(&found),
        ["claude.MCP entry", "claude.hooks", "claude.skills"]
    );
    let hooks = findings(&found)["claude.hooks"].clone();
    assert!(hooks.1.contains("hook PreCompact is missing"), "{hooks:?}");
    sandbox
        .printed(&format!("cd {} && {}", sandbox.project().display(), hooks.2))
        .ok();
    doctor(&sandbox, &[]).ok();
    let text = fs::read_to_string(&settings).unwrap();
    let old = text.replace(
        " hook Stop --client claude\"",
        "\", \"args\": [\"hook\", \"Stop\", \"--client\", \"claude\"]",
    );
    assert_ne!(old, text);
    fs::write(&settings, old).unwrap();
    let hooks = findings(&doctor(&sandbox, &["--json"]).exits(1))["claude.hooks"].clone();
    assert!(hooks.1.contains("hook Stop is outdated"), "{hooks:?}");
    fs::write(&settings, "{ \"hooks\": ").unwrap();
    let found = doctor(&sandbox, &["--json"]).exits(1);
    let setup = findings(&found)["claude.setup"].clone();
    assert!(setup.1.contains("settings.json:1:"), "{setup:?}");
}

#[test]
fn hooks_that_do_not_work_are_found_by_calling_them() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    let bugle = sandbox.root().join("bin/bugle");
    let real = env!("CARGO_BIN_EXE_bugle");
    let call = |words: &[&str]| {
        let mut command = sandbox.command(real, &sandbox.project());
        command.args(words).env("SHELL", "/bin/sh");
        answer(&mut command)
    };
    for (script, expected) in [
        ("exit 3", vec!["claude.answer", "claude.denial", "claude.server"]),
        (
            "echo hello",
            vec!["claude.answer", "claude.denial", "claude.server"],
        ),
        ("exit 0", vec!["claude.denial", "claude.server"]),
    ] {
        fs::remove_file(&bugle).unwrap();
        program(&sandbox, "bugle", script);
        let found = call(&["doctor", "claude", "--json"]).exits(1);
        let wrong: Vec<String> = wrong(&found)
            .into_iter()
            .filter(|name| {
                ["answer", "denial", "server"]
                    .iter()
                    .any(|check| name.ends_with(check))
            })
            .collect();
        assert_eq!(wrong, expected, "{script}");
    }
    fs::remove_file(&bugle).unwrap();
    let found = call(&["doctor", "claude", "--json"]).exits(1);
    let answer = findings(&found)["claude.answer"].clone();
    assert!(answer.1.contains("the hook did not start"), "{answer:?}");
}

#[test]
fn a_broken_store_and_hook_errors_are_reported() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    fs::write(sandbox.database(), "this was a database once".repeat(200)).unwrap();
    let found = doctor(&sandbox, &["--json"]).exits(1);
    assert_eq!(wrong(&found), ["store"]);
    // The hook under test opened the same store and logged an error.
    let found = doctor(&sandbox, &["--json"]).exits(1);
    let errors = findings(&found)["errors"].clone();
    assert_eq!(errors.0, "unsure");
    assert!(errors.1.contains("PreToolUse: "), "{errors:?}");
}

#[test]
fn disabled_hooks_are_found_in_every_settings_file() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    doctor(&sandbox, &[]).ok();
    for file in [
        sandbox.project().join(".claude/settings.local.json"),
        sandbox.home().join(".claude/settings.json"),
    ] {
        sandbox.write(&file, "{ \"disableAllHooks\": true } // off\n");
        let found = doctor(&sandbox, &["--json"]).exits(1);
        assert_eq!(wrong(&found), ["claude.enabled"]);
        let off = findings(&found)["claude.enabled"].clone();
        assert!(off.1.contains(file.to_str().unwrap()), "{off:?}");
        assert!(off.2.contains("Remove `disableAllHooks`"), "{off:?}");
        sandbox.write(&file, "{ \"disableAllHooks\": false }\n");
        doctor(&sandbox, &[]).ok();
    }
}

#[test]
fn a_client_that_is_set_up_but_not_installed_is_a_problem() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude", "codex"]).ok();
    let found = doctor(&sandbox, &["claude", "codex"]).exits(1);
    let version = "  FAIL  version   `codex` was not found on the PATH.\n";
    assert!(found.out.contains(version), "{}", found.out);
    assert!(
        found
            .out
            .contains("To undo its setup: bugle setup codex --remove\n"),
        "{}",
        found.out
    );
    assert!(!found.out.contains("No problems found"), "{}", found.out);
    doctor(&sandbox, &["claude"]).ok();
}

#[test]
fn a_new_skill_without_a_stub_is_reported() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    sandbox.run(&["skill", "new", "mine"]).ok();
    let skills = findings(&doctor(&sandbox, &["--json"]).exits(1))["claude.skills"].clone();
    assert!(
        skills.1.contains(".claude/skills/mine/SKILL.md is missing"),
        "{skills:?}"
    );
    assert_eq!(skills.2, "bugle setup claude");
}

#[test]
fn invalid_settings_are_reported_with_file_and_line() {
    let sandbox = clinic(&["claude"]);
    sandbox.run(&["setup", "claude"]).ok();
    let file = sandbox.project().join(".bugle/config.yaml");
    sandbox.write(&file, "# Shop\nproject: shop\n");
    let settings = findings(&doctor(&sandbox, &["--json"]).exits(1))["settings"].clone();
    let start = format!(
        "The settings in {} are invalid: line 2: project: `shop`",
        file.display()
    );
    assert!(settings.1.starts_with(&start), "{settings:?}");
    let status = sandbox.run(&["status"]).exits(0);
    assert!(status.err.contains(&start), "{}", status.err);
    // Without the id, Bugle could mistake the folder for another project.
    sandbox
        .run(&["task", "add", "Write"])
        .fails(2, "line 2: project: `shop`");
    fs::remove_file(&file).unwrap();
    sandbox.run(&["task", "add", "Write"]).ok();
    sandbox.write(
        &sandbox.bugle_home().join("config.yaml"),
        "project: p-0123456789ab\n",
    );
    let settings = findings(&doctor(&sandbox, &["--json"]).exits(1))["settings"].clone();
    assert!(
        settings
            .1
            .contains("line 1: `project` is allowed only in project settings"),
        "{settings:?}"
    );
}
