//! Existing files keep everything that is not Bugle's.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::CLIENTS;
use crate::support::sandbox::{Sandbox, answer};

/// Settings with everything that a careless rewrite would lose.
const SETTINGS: &str = "{\r\n\t// Mine, and I like it so.\r\n\t\"model\" : \"x\", /* here */\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }, // first\r\n\t\t],\r\n\t\t\"SessionStart\": [],\r\n\t},\r\n\t\"mcpServers\": { \"other\": { \"command\": \"o\" } }\r\n}";

#[test]
fn other_programs_settings_stay_unchanged() {
    let sandbox = Sandbox::new();
    let file = sandbox.put(".claude/settings.json", SETTINGS);
    sandbox.put(".mcp.json", "{\"mcpServers\":{}}");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let before = sandbox.files();
    sandbox.run(&["setup", "claude"]).ok();
    insta::assert_snapshot!(
        "setup_into_settings",
        sandbox.neutral(&sandbox.text(".claude/settings.json").replace('\r', ""))
    );
    assert!(
        !sandbox
            .text(".claude/settings.json")
            .replace("\r\n", "")
            .contains('\n')
    );
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    sandbox.run(&["setup", "claude"]).ok();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(before, sandbox.files());
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn removal_from_an_edited_file_keeps_the_edits() {
    let sandbox = Sandbox::new();
    sandbox.put(".codex/config.toml", "model = \"x\" # mine\n");
    sandbox.run(&["setup", "codex"]).ok();
    let config = sandbox.text(".codex/config.toml");
    sandbox.put(
        ".codex/config.toml",
        &format!("{config}\n[tui]\ntheme = \"dark\"\n"),
    );
    let hooks = sandbox.text(".codex/hooks.json");
    let mine = "{\n        \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]\n      },\n      {";
    sandbox.put(
        ".codex/hooks.json",
        &hooks
            .replacen('{', "{ ", 1)
            .replacen("[\n      {", &format!("[\n      {mine}"), 1),
    );
    let again = sandbox.run(&["setup", "codex"]).ok();
    assert!(again.out.starts_with("Nothing changed"), "{}", again.out);
    sandbox.run(&["setup", "codex", "--remove"]).ok();
    assert_eq!(
        sandbox.text(".codex/config.toml"),
        "model = \"x\" # mine\n\n[tui]\ntheme = \"dark\"\n"
    );
    let hooks: serde_json::Value = serde_json::from_str(&sandbox.text(".codex/hooks.json")).unwrap();
    let own = serde_json::json!([{"hooks": [{"type": "command", "command": "mine"}]}]);
    assert_eq!(hooks, serde_json::json!({"hooks": {"SessionStart": own}}));
}

#[test]
fn entries_are_recognised_without_the_record() {
    let sandbox = Sandbox::new();
    let settings =
        "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": []}]\n    }\n}\n";
    sandbox.put(".claude/settings.json", settings);
    sandbox.put(".claude/skills/mine/SKILL.md", "mine");
    sandbox.run(&["setup", "claude"]).ok();
    fs::remove_file(sandbox.bugle_home().join("setup.json")).unwrap();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(sandbox.text(".claude/settings.json"), settings);
    assert!(!sandbox.project().join(".claude/skills/planner").exists());
    assert_eq!(sandbox.text(".claude/skills/mine/SKILL.md"), "mine");
}

/// Rewrites the hooks in Claude Code's settings to the old form, with the arguments separate from the program.
fn in_the_old_form(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(" hook ") {
        let (words, after) = behind.split_once('"').unwrap();
        let words: Vec<String> = words.split(' ').map(|word| format!("\"{word}\"")).collect();
        out.push_str(&format!("{before}\", \"args\": [\"hook\", {}]", words.join(", ")));
        rest = after;
    }
    out + rest
}

#[test]
fn hooks_in_the_old_form_are_updated_and_removed() {
    let settings =
        "{\n    \"model\": \"x\",\n    \"hooks\": {\n        \"Stop\": [{\"hooks\": []}]\n    }\n}\n";
    let old = || {
        let sandbox = Sandbox::new();
        sandbox.put(".claude/settings.json", settings);
        sandbox.run(&["setup", "claude"]).ok();
        let new = sandbox.text(".claude/settings.json");
        assert!(!new.contains("\"args\""), "{new}");
        sandbox.put(".claude/settings.json", &in_the_old_form(&new));
        fs::remove_file(sandbox.bugle_home().join("setup.json")).unwrap();
        (sandbox, new)
    };
    let (sandbox, _) = old();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(
        sandbox.text(".claude/settings.json"),
        settings,
        "from the old form"
    );
    let (sandbox, new) = old();
    let check = sandbox.run(&["setup", "claude", "--check"]).exits(1).out;
    assert!(check.contains("hook PreToolUse is outdated"), "{check}");
    sandbox.run(&["setup", "claude"]).ok();
    let text = sandbox.text(".claude/settings.json");
    assert!(
        !text.contains("\"args\"") && text.contains(" hook PreToolUse --client claude\""),
        "{text}"
    );
    assert_eq!(text.matches("--client").count(), new.matches("--client").count());
    sandbox.run(&["setup", "claude", "--check"]).ok();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert_eq!(
        sandbox.text(".claude/settings.json"),
        settings,
        "from the new form"
    );
}

#[test]
fn clients_that_share_an_instruction_file_do_not_remove_each_others_block() {
    for [first, second] in [["claude", "codex"], ["codex", "claude"]] {
        let sandbox = Sandbox::new();
        sandbox.put("CLAUDE.md", "# Mine\n\nDo well.\n");
        symlink("CLAUDE.md", sandbox.project().join("AGENTS.md")).unwrap();
        let before = sandbox.files();
        sandbox.run(&["setup", "claude", "--instructions"]).ok();
        sandbox.run(&["setup", "codex", "--instructions"]).ok();
        sandbox.run(&["setup", first, "--remove"]).ok();
        assert!(
            sandbox.text("CLAUDE.md").contains("<!-- bugle"),
            "{second} still uses the block"
        );
        sandbox.run(&["setup", second, "--check"]).ok();
        sandbox.run(&["setup", second, "--remove"]).ok();
        assert_eq!(before, sandbox.files(), "{first}, then {second}");
    }
}

#[test]
fn entries_of_a_moved_program_are_updated_and_never_duplicated() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        sandbox.run(&["setup", client]).ok();
        let before = sandbox.files();
        let program = sandbox.root().join("bin/bugle");
        let moved = sandbox.root().join("other place/bugle");
        fs::create_dir(moved.parent().unwrap()).unwrap();
        symlink(fs::canonicalize(&program).unwrap(), &moved).unwrap();
        let run = |arguments: &[&str]| {
            let mut command = sandbox.command(&moved, &sandbox.project());
            answer(command.args(arguments).env("PATH", moved.parent().unwrap()))
        };
        let check = run(&["setup", client, "--check"]).exits(1).out;
        assert!(check.contains("outdated"), "{check}");
        run(&["setup", client]).ok();
        let after = sandbox.files();
        assert_eq!(
            before.keys().collect::<Vec<_>>(),
            after.keys().collect::<Vec<_>>()
        );
        for (path, bytes) in &after {
            let (old, new) = (&before[path], String::from_utf8(bytes.clone()).unwrap());
            assert!(!new.contains(program.to_str().unwrap()), "{}", path.display());
            assert_eq!(String::from_utf8_lossy(old).lines().count(), new.lines().count());
        }
        run(&["setup", client, "--check"]).ok();
        run(&["setup", client, "--remove"]).ok();
        let left = sandbox.files();
        assert!(
            left.values().all(|bytes| bytes == b"(an empty folder)"),
            "{left:?}"
        );
    }
}

#[test]
fn a_link_is_followed_and_kept() {
    let sandbox = Sandbox::new();
    let real = sandbox.elsewhere().join("dotfiles/settings.json");
    sandbox.write(&real, "{}");
    fs::create_dir(sandbox.project().join(".claude")).unwrap();
    let link = sandbox.project().join(".claude/settings.json");
    symlink(&real, &link).unwrap();
    sandbox.run(&["setup", "claude"]).ok();
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("SessionStart"));
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
}

#[test]
fn a_broken_file_stops_the_setup_before_anything_is_changed() {
    for (client, path, text, place) in [
        (
            "claude",
            ".claude/settings.json",
            "{\n  \"hooks\": {\n",
            ":2:12: unterminated object",
        ),
        ("claude", ".mcp.json", "[]", ":1:1: expected an object"),
        (
            "claude",
            ".claude/settings.json",
            "{\"hooks\": []}",
            ":1:11: `hooks` is not an object",
        ),
        ("codex", ".codex/config.toml", "a = 1\nb = \n", ":2:5: "),
        ("codex", ".codex/config.toml", "mcp_servers = {}\n", ":1:"),
        (
            "gemini",
            ".gemini/settings.json",
            "{'a': 1}",
            ":1:2: single-quoted strings are not allowed",
        ),
        (
            "claude",
            ".mcp.json",
            "{\"mcpServers\": {\"bugle\": {\"command\": \"trumpet\"}}}",
            ":1:26: another MCP server is named `bugle`",
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.put(path, text);
        let before = sandbox.files();
        let answer = sandbox.run(&["setup", client]).fails(1, path);
        assert!(answer.err.contains(place), "{}", answer.err);
        assert_eq!(before, sandbox.files());
    }
}

#[test]
fn a_broken_file_of_one_client_stops_the_setup_of_all() {
    let sandbox = Sandbox::new();
    sandbox.put(".codex/config.toml", "a = 1\nb = \n");
    let before = sandbox.files();
    let answer = sandbox
        .run(&["setup", "claude", "codex"])
        .fails(1, "config.toml:2:5");
    assert!(answer.err.contains("Nothing was changed."), "{}", answer.err);
    assert_eq!(before, sandbox.files());
}

#[test]
fn several_clients_give_one_json_document_and_a_check_without_clients_checks_all() {
    let sandbox = Sandbox::new();
    sandbox
        .run(&["setup"])
        .fails(2, "claude, codex, gemini, opencode");
    sandbox
        .run(&["setup", "--check"])
        .fails(1, "no client is set up (project)");
    let clients = |arguments: &[&str]| -> Vec<String> {
        let answer = sandbox.run(arguments).ok();
        let document: serde_json::Value = serde_json::from_str(&answer.out).unwrap();
        let clients = document["data"]["clients"].as_array().unwrap().iter();
        clients
            .map(|view| view["client"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        clients(&["setup", "claude", "codex", "--json"]),
        ["claude", "codex"]
    );
    assert_eq!(clients(&["setup", "--check", "--json"]), ["claude", "codex"]);
}

#[test]
fn files_that_cannot_be_written_are_reported() {
    let sandbox = Sandbox::new();
    let file = sandbox.put(".claude/settings.json", "{}\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    sandbox
        .run(&["setup", "claude"])
        .fails(1, "the file is read-only");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}\n");
    fs::remove_file(&file).unwrap();
    symlink("nowhere", &file).unwrap();
    sandbox.run(&["setup", "claude"]).fails(1, "the link is broken");
    fs::remove_file(&file).unwrap();
    fs::write(&file, [0xff, 0xfe]).unwrap();
    sandbox.run(&["setup", "claude"]).fails(1, "not valid UTF-8");
    assert!(sandbox.unfinished_files().is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_and_the_rest_can_be_removed() {
    let sandbox = Sandbox::new();
    // A file where a folder is needed simulates an unwritable folder, because root may write anywhere.
    sandbox.put(".claude/skills", "not a folder");
    let before = sandbox.files();
    sandbox.run(&["setup", "claude"]).fails(1, ".claude/skills");
    sandbox.run(&["setup", "claude", "--remove"]).exits(1);
    fs::remove_file(sandbox.project().join(".claude/skills")).unwrap();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    sandbox.put(".claude/skills", "not a folder");
    assert_eq!(before, sandbox.files());
}
