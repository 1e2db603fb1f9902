//! Roles: shown, overridden, and exported as client agents.

use std::collections::BTreeMap;
use std::fs;

use crate::support::sandbox::Sandbox;

/// Descriptions that a careless YAML or TOML writer would break; each is a YAML scalar.
const NASTY: [(&str, &str); 6] = [
    (r#""says \"hi\": C:\\new""#, r#"says "hi": C:\new"#),
    (
        r#""one\ntwo --- three\n---\nfour""#,
        "one\ntwo --- three\n---\nfour",
    ),
    (
        "'# no comment, {no: map}, [no list] & *'",
        "# no comment, {no: map}, [no list] & *",
    ),
    (
        r#""\u0007 \u0085 \u2028 \ufeff \t end""#,
        "\u{7} \u{85} \u{2028} \u{feff} \t end",
    ),
    ("'\"\"\" and ''quotes'' \\u0041'", "\"\"\" and 'quotes' \\u0041"),
    ("'日本語 🎺 null'", "日本語 🎺 null"),
];

fn role_file(name: &str, description: &str, more: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n{more}---\n\nOverridden text.\n")
}

fn override_role(sandbox: &Sandbox, name: &str, description: &str, more: &str) {
    let file = sandbox.project().join(".bugle/roles").join(format!("{name}.md"));
    sandbox.write(&file, role_file(name, description, more));
}

/// The front matter, parsed as YAML, and the body of a Claude Code definition.
#[track_caller]
fn claude(definition: &str) -> (BTreeMap<String, String>, String) {
    let rest = definition.strip_prefix("---\n").unwrap();
    let (front, body) = rest.split_once("\n---\n").unwrap();
    assert!(
        !front.contains("---"),
        "the client would end the front matter there"
    );
    (serde_saphyr::from_str(front).unwrap(), body.to_owned())
}

#[test]
fn the_list_shows_where_each_role_comes_from() {
    let sandbox = Sandbox::new();
    override_role(
        &sandbox,
        "debugger",
        "ours",
        "tools: { allow: [Read, Bash] }\nmodel: small\n",
    );
    let own = sandbox.bugle_home().join("roles/explore.md");
    sandbox.write(&own, role_file("explore", "mine", ""));
    let list = sandbox.run(&["role", "list"]).ok().out;
    assert!(
        list.contains("debugger  (project, small model)\n    ours\n    only these tools: Read, Bash\n"),
        "{list}"
    );
    assert!(
        list.contains("explore  (user)\n    mine\n    all tools\n"),
        "{list}"
    );
    assert!(
        list.contains("quality-reviewer  (built-in, large model)\n"),
        "{list}"
    );
    let json = sandbox.run(&["role", "list", "--json"]).ok().json();
    assert_eq!(json["kind"], "roles");
    assert_eq!(json["data"]["roles"].as_array().unwrap().len(), 8);
    assert!(!sandbox.database().exists(), "no store is created");
}

#[test]
fn a_role_is_shown_in_full() {
    let sandbox = Sandbox::new();
    let shown = sandbox.run(&["role", "show", "explore"]).ok().out;
    for part in [
        "explore  (built-in, small model)",
        "all tools except Edit",
        "## Brief",
        "## Constraints",
        "## Report",
    ] {
        assert!(shown.contains(part), "{part} is not in:\n{shown}");
    }
    let json = sandbox.run(&["role", "show", "explore", "--json"]).ok().json();
    assert_eq!(json["kind"], "role");
    assert_eq!(json["data"]["entry"]["path"], serde_json::Value::Null);
    sandbox
        .run(&["role", "show", "explorer"])
        .fails(4, "Did you mean `explore`?");
}

#[test]
fn a_broken_override_is_reported_with_a_fix() {
    let sandbox = Sandbox::new();
    override_role(&sandbox, "explore", "x", "tols: y\n");
    for arguments in [
        vec!["role", "list"],
        vec!["role", "show", "explore"],
        vec!["role", "export", "claude"],
        vec!["role", "export", "codex", "--role", "explore"],
    ] {
        let answer = sandbox.run(&arguments).fails(1, ".bugle/roles/explore.md:4: ");
        assert!(answer.err.contains("To fix this: "), "{}", answer.err);
    }
    assert!(!sandbox.project().join(".claude").exists());
    sandbox.run(&["role", "show", "developer"]).ok();
}

#[test]
fn exporting_one_role_prints_it_and_writes_nothing() {
    let sandbox = Sandbox::new();
    for (client, folder) in [("claude", ".claude"), ("codex", ".codex")] {
        let printed = sandbox
            .run(&["role", "export", client, "--role", "explore"])
            .ok()
            .out;
        assert!(printed.contains("bugle-explore"), "{printed}");
        assert!(!sandbox.project().join(folder).exists());
        let json = sandbox
            .run(&["role", "export", client, "--role", "explore", "--json"])
            .ok()
            .json();
        assert_eq!(json["kind"], "role_definition");
        assert_eq!(
            json["data"]["text"],
            printed.as_str(),
            "identical to the last byte"
        );
        let written = sandbox
            .run(&["role", "export", client, "--role", "explore", "--to", "out"])
            .ok()
            .out;
        assert!(written.starts_with("written "), "{written}");
        let file = sandbox
            .project()
            .join("out")
            .join(json["data"]["file"].as_str().unwrap());
        assert_eq!(fs::read_to_string(file).unwrap(), printed);
    }
}

#[test]
fn all_roles_are_written_where_the_client_finds_them() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let inside = sandbox.project().join("src/deep");
    fs::create_dir_all(&inside).unwrap();
    for (client, folder, ending) in [
        ("claude", ".claude/agents", "md"),
        ("codex", ".codex/agents", "toml"),
    ] {
        let first = sandbox
            .run_in(&inside, &["role", "export", client, "--json"])
            .ok()
            .json();
        assert_eq!(first["kind"], "role_export");
        let folder = sandbox.project().join(folder);
        assert_eq!(first["data"]["folder"], folder.to_str().unwrap());
        let files = first["data"]["files"].as_array().unwrap();
        assert_eq!(files.len(), 8);
        assert!(files.iter().all(|file| file["state"] == "written"), "{first}");
        assert_eq!(
            fs::read_dir(&folder).unwrap().count(),
            8,
            "no temporary file is left"
        );
        for file in files {
            let path = file["path"].as_str().unwrap();
            assert!(
                path.ends_with(&format!("/{}.{ending}", file["agent"].as_str().unwrap())),
                "{path}"
            );
            let text = fs::read_to_string(path).unwrap();
            assert!(text.contains("`bugle start --child` command"), "{path}");
            assert!(text.contains("## Brief\n"), "{path}");
        }
        let again = sandbox.run(&["role", "export", client]).ok().out;
        assert_eq!(again.matches("unchanged ").count(), 8, "{again}");
    }
}

#[test]
fn the_users_own_agent_is_never_overwritten() {
    let sandbox = Sandbox::new();
    let agents = sandbox.project().join(".claude/agents");
    let mine = agents.join("bugle-explore.md");
    sandbox.write(&mine, "---\nname: bugle-explore\n---\nMine.\n");
    sandbox.write(&agents.join("explore.md"), "Mine too.\n");
    let answer = sandbox
        .run(&["role", "export", "claude"])
        .fails(2, mine.to_str().unwrap());
    assert!(answer.err.contains("Nothing was changed."), "{}", answer.err);
    assert_eq!(fs::read_dir(&agents).unwrap().count(), 2);
    fs::remove_file(&mine).unwrap();
    sandbox.run(&["role", "export", "claude"]).ok();
    assert_eq!(
        fs::read_to_string(agents.join("explore.md")).unwrap(),
        "Mine too.\n"
    );
}

#[test]
fn exporting_a_changed_role_replaces_the_earlier_export() {
    let sandbox = Sandbox::new();
    sandbox.run(&["role", "export", "codex"]).ok();
    override_role(&sandbox, "explore", "ours", "");
    let answer = sandbox.run(&["role", "export", "codex"]).ok().out;
    assert_eq!(answer.matches("written ").count(), 1, "{answer}");
    let file = sandbox.project().join(".codex/agents/bugle-explore.toml");
    let text = fs::read_to_string(file).unwrap();
    assert!(
        text.contains("description = \"ours\"\n") && text.contains("Overridden text."),
        "{text}"
    );
}

#[test]
fn every_description_is_exported_unchanged() {
    let sandbox = Sandbox::new();
    for (scalar, meant) in NASTY {
        override_role(
            &sandbox,
            "explore",
            scalar,
            "tools: { deny: [Edit, 'mcp__a__b, c'] }\n",
        );
        let printed = sandbox
            .run(&["role", "export", "claude", "--role", "explore"])
            .ok()
            .out;
        let (front, body) = claude(&printed);
        assert_eq!(front["name"], "bugle-explore");
        assert_eq!(front["description"], meant);
        assert_eq!(front["disallowedTools"], "Edit");
        assert!(body.starts_with("\nOverridden text.\n"), "{body}");
        assert!(
            body.contains("`mcp__a__b, c`"),
            "a tool that the list cannot hold is named in the agent's text"
        );
        let printed = sandbox
            .run(&["role", "export", "codex", "--role", "explore"])
            .ok()
            .out;
        let line = printed
            .lines()
            .find_map(|line| line.strip_prefix("description = "))
            .unwrap();
        // TOML and JSON share these escapes.
        assert_eq!(serde_json::from_str::<String>(line).unwrap(), meant);
        assert!(printed.contains("`Edit`, `mcp__a__b, c`"), "{printed}");
    }
}

#[test]
fn every_built_in_definition_for_claude_code_is_yaml() {
    let sandbox = Sandbox::new();
    let answer = sandbox
        .run(&["role", "export", "claude", "--to", "out", "--json"])
        .ok()
        .json();
    for file in answer["data"]["files"].as_array().unwrap() {
        let text = fs::read_to_string(file["path"].as_str().unwrap()).unwrap();
        let (front, body) = claude(&text);
        assert_eq!(front["name"], file["agent"].as_str().unwrap());
        assert!(
            ["haiku", "sonnet", "opus"].contains(&front["model"].as_str()),
            "{front:?}"
        );
        assert!(body.starts_with("\n## Brief\n"), "{body}");
        let role = sandbox
            .run(&["role", "show", file["role"].as_str().unwrap(), "--json"])
            .ok()
            .json();
        let denied = role["data"]["entry"]["denied_tools"].as_array().unwrap();
        let denied: Vec<&str> = denied.iter().map(|tool| tool.as_str().unwrap()).collect();
        assert_eq!(
            front.get("disallowedTools").map_or("", String::as_str),
            denied.join(", ")
        );
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write(&sandbox.project().join("file"), "");
    sandbox
        .run(&["role", "export", "claude", "--to", "file/agents"])
        .fails(1, "file/agents");
    sandbox.run(&["role", "export", "emacs"]).exits(2);
}
