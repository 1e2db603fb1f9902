//! Setting clients up: what is written, what of other people's files stays, and that all of it can be taken out.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::harness::{Sandbox, answer};

const CLIENTS: [&str; 4] = ["claude", "codex", "gemini", "opencode"];

/// Everything below some folders: files with their bytes, links with where they lead, empty folders.
fn tree(folders: &[PathBuf]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = folders.to_vec();
    while let Some(folder) = open.pop() {
        let entries: Vec<PathBuf> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        if entries.is_empty() {
            found.insert(folder.clone(), b"(an empty folder)".to_vec());
        }
        for path in entries {
            if path.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                found.insert(path, target.into_os_string().into_encoded_bytes());
            } else if path.is_dir() {
                open.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

impl Sandbox {
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        tree(&[self.project(), self.home()])
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project().join(path)).unwrap()
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        self.write(&path, text);
        path
    }
}

/// The files whose form is the client's, as one text.
fn written(sandbox: &Sandbox) -> String {
    let mut out = String::new();
    for (path, bytes) in sandbox.files() {
        let text = String::from_utf8(bytes).unwrap();
        let path = path.strip_prefix(sandbox.root()).unwrap();
        let name = path.to_str().unwrap();
        // Of skills that are alike one shows what all are; what agents are told is tried with the roles.
        let skill = name.contains("/skills/") && !name.contains(".claude/skills/decision-critic/");
        let alike = skill || name.contains("/agents/");
        if alike {
            out.push_str(&format!("=== {name}\n"));
        } else {
            out.push_str(&format!("=== {name}\n{}\n", sandbox.neutral(&text)));
        }
    }
    out
}

#[test]
fn what_is_written_for_each_client_in_a_project() {
    for client in CLIENTS {
        let sandbox = Sandbox::new();
        sandbox.run(&["setup", client, "--instructions"]).ok();
        insta::assert_snapshot!(format!("setup_{client}"), written(&sandbox));
    }
}

#[test]
fn what_is_written_for_each_client_of_a_user() {
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
fn a_second_run_changes_nothing_and_removal_leaves_nothing() {
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

/// Settings with everything in them that a careless writer would lose.
const SETTINGS: &str = "{\r\n\t// Mine, and I like it so.\r\n\t\"model\" : \"x\", /* here */\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"say done\" } ] }, // first\r\n\t\t],\r\n\t\t\"SessionStart\": [],\r\n\t},\r\n\t\"mcpServers\": { \"other\": { \"command\": \"o\" } }\r\n}";

#[test]
fn settings_of_others_stay_as_they_are() {
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
fn a_file_that_was_edited_since_loses_only_what_is_not_its_owners() {
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
fn without_a_record_the_entries_are_still_known() {
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

/// The hooks of Claude Code's settings in the form of earlier versions: the words apart from the program.
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
fn hooks_in_the_old_form_are_brought_up_to_date_and_taken_out() {
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
fn clients_whose_instructions_are_one_file_do_not_take_the_block_from_each_other() {
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
            "{second} still has it"
        );
        sandbox.run(&["setup", second, "--check"]).ok();
        sandbox.run(&["setup", second, "--remove"]).ok();
        assert_eq!(before, sandbox.files(), "{first}, then {second}");
    }
}

#[test]
fn a_program_that_moved_is_brought_up_to_date_and_never_doubled() {
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
fn a_link_is_written_through() {
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
fn a_broken_file_is_not_touched_and_nothing_else_is() {
    for (client, path, text, place) in [
        ("claude", ".claude/settings.json", "{\n  \"hooks\": {\n", ":3:1: "),
        ("claude", ".mcp.json", "[]", ":1:1: an object is expected"),
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
            ":1:2: a key in double quotes",
        ),
        (
            "claude",
            ".mcp.json",
            "{\"mcpServers\": {\"bugle\": {\"command\": \"trumpet\"}}}",
            ":1:26: there is another MCP server",
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
fn what_cannot_be_written_is_said() {
    let sandbox = Sandbox::new();
    let file = sandbox.put(".claude/settings.json", "{}\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    sandbox.run(&["setup", "claude"]).fails(1, "it is read-only");
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}\n");
    fs::remove_file(&file).unwrap();
    symlink("nowhere", &file).unwrap();
    sandbox
        .run(&["setup", "claude"])
        .fails(1, "a link that leads nowhere");
    fs::remove_file(&file).unwrap();
    fs::write(&file, [0xff, 0xfe]).unwrap();
    sandbox.run(&["setup", "claude"]).fails(1, "not text in UTF-8");
    assert!(sandbox.unfinished_files().is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_is_said_and_the_rest_can_be_taken_back() {
    let sandbox = Sandbox::new();
    // A file where a folder is needed stands for whatever keeps a folder from being written; root may write anywhere.
    sandbox.put(".claude/skills", "not a folder");
    let before = sandbox.files();
    sandbox.run(&["setup", "claude"]).fails(1, ".claude/skills");
    sandbox.run(&["setup", "claude", "--remove"]).exits(1);
    fs::remove_file(sandbox.project().join(".claude/skills")).unwrap();
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    sandbox.put(".claude/skills", "not a folder");
    assert_eq!(before, sandbox.files());
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
fn the_workflows_still_run_when_clients_have_thin_skills_for_them() {
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
    // What the user put there is the user's.
    let own = sandbox.put(
        ".claude/skills/planner/SKILL.md",
        "---\nname: planner\ndescription: Mine.\n---\nMine.\n",
    );
    let answer = sandbox.run(&["setup", "claude"]).ok();
    assert!(
        answer.out.contains("is not Bugle's, and was left alone"),
        "{}",
        answer.out
    );
    sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert!(fs::read_to_string(own).unwrap().contains("Mine."));
}

#[test]
fn a_thin_skill_that_somebody_changed_is_not_deleted() {
    let sandbox = Sandbox::new();
    sandbox.run(&["setup", "claude"]).ok();
    let path = ".claude/skills/planner/SKILL.md";
    let changed = format!("{}\nAlso think of the tests.\n", sandbox.text(path));
    sandbox.put(path, &changed);
    let answer = sandbox.run(&["setup", "claude", "--remove"]).ok();
    assert!(answer.out.contains("kept "), "{}", answer.out);
    assert_eq!(sandbox.text(path), changed);
    sandbox.start(&["planner", "task=anything"]);
}

#[test]
fn new_settings_of_a_user_are_for_the_user_alone() {
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
fn clients_that_share_skills_do_not_take_them_from_each_other() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    sandbox.run(&["setup", "codex"]).ok();
    sandbox.run(&["setup", "gemini"]).ok();
    sandbox.run(&["setup", "codex", "--remove"]).ok();
    sandbox.run(&["setup", "gemini", "--check"]).ok();
    assert!(!sandbox.project().join(".codex").exists());
    sandbox.run(&["setup", "gemini", "--remove"]).ok();
    assert_eq!(before, sandbox.files());
}

#[test]
fn the_folders_that_clients_are_told_to_use_are_used() {
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
        "it would hide the other file"
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
fn plugins_are_whole_folders() {
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
fn a_skill_of_the_installed_plugin_is_the_built_in_one() {
    let sandbox = Sandbox::new();
    let cache = sandbox.home().join(".claude/plugins/cache/bugle/bugle/1.0.0");
    let output: &Path = &cache;
    sandbox
        .run(&["plugin", "build", "--output", output.to_str().unwrap()])
        .ok();
    let step = sandbox.start(&["bugle:decision-critic", "decision=Use tabs"]);
    assert_eq!(step.skill, "decision-critic");
}
