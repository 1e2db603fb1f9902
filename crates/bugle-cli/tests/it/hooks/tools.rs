//! Tools that a step allows.

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

#[test]
fn tools_that_change_files_are_denied_where_the_step_says_so() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let file = json!({ "file_path": "src/a.rs" });
    for tool in [
        "Edit",
        "Write",
        "MultiEdit",
        "apply_patch",
        "write_file",
        "replace",
        "edit",
    ] {
        let why = client.denied(tool, &file);
        assert!(why.contains(tool) && why.contains("Look around"), "{tool}: {why}");
        assert!(why.contains(step.command()), "{tool}: {why}");
    }
    for command in [
        "echo x > src/a.rs",
        "cat a >> src/a.rs",
        "cd src && sed -i s/a/b/ a.rs",
        "bash -lc 'echo x > src/a.rs'",
        "echo x | tee src/a.rs",
        "bugle done x; rm -r src",
        "timeout 5 rm src/a.rs",
        "ls | xargs rm",
        "find . -name a.rs -delete",
        "sed -ni p src/a.rs",
        "awk -i inplace 1 src/a.rs",
        "git apply p.diff",
        "curl -o src/a.rs https://example.org",
        "apply_patch <<'EOF'\n*** Begin Patch\nEOF",
    ] {
        for (tool, input) in [
            ("Bash", json!({ "command": command })),
            ("exec_command", json!({ "cmd": command })),
            ("shell", json!({ "command": ["bash", "-lc", command] })),
        ] {
            let why = client.denied(tool, &input);
            assert!(
                why.contains("does not allow changes to files"),
                "{command}: {why}"
            );
        }
    }
    for tool in ["Read", "Grep", "WebFetch", "Agent"] {
        assert_eq!(client.denied(tool, &file), "", "{tool}");
    }
    for command in [
        "cargo test 2>&1 | tail -3",
        "git log > /dev/null",
        "grep -r '>' src",
    ] {
        assert_eq!(
            client.denied("Bash", &json!({ "command": command })),
            "",
            "{command}"
        );
    }
}

#[test]
fn bugles_commands_and_the_result_file_are_never_denied() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let result = step.result_file().to_str().unwrap().to_owned();
    assert_eq!(client.denied("Write", &json!({ "file_path": result })), "");
    assert_eq!(client.denied("Edit", &json!({ "file_path": result })), "");
    let heredoc = format!(
        "cat > {result} <<'EOF'\n{{\"seen\": \"all > none\"}}\nEOF\n{}",
        step.command()
    );
    for command in [step.command(), &heredoc, "bugle task list && bugle run list"] {
        assert_eq!(
            client.denied("Bash", &json!({ "command": command })),
            "",
            "{command}"
        );
    }
    let patch = format!("*** Begin Patch\n*** Add File: {result}\n+{{}}\n*** End Patch");
    assert_eq!(client.denied("apply_patch", &json!({ "input": patch })), "");
    assert_eq!(client.denied("write", &json!({ "filePath": result })), "");
    for tool in [
        "mcp__bugle__finish_step",
        "mcp__bugle__update_task",
        "mcp_bugle_finish_step",
        "bugle_finish_step",
    ] {
        assert_eq!(client.denied(tool, &json!({})), "", "{tool}");
    }
    // A path that starts with the result file's path but leaves it through `..` is not allowed.
    let climbing = format!("{result}/../../../../project/src/a.rs");
    assert_ne!(client.denied("Write", &json!({ "file_path": climbing })), "");
    // The next step allows the edit, and a finished run forbids nothing.
    let next = sandbox.report(&step, &json!({ "seen": "all" })).ok().step();
    let file = json!({ "file_path": "src/a.rs" });
    assert_eq!(client.denied("Edit", &file), "");
    sandbox.printed(next.command()).ok().end();
    assert_eq!(client.denied("Edit", &file), "");
}

#[test]
fn only_an_allowed_program_may_change_files() {
    let sandbox = Sandbox::with_skill("guarded", &GUARDED.replace("Write] }", "Write], allow: [git] }"));
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let shell = |command: &str| client.denied("Bash", &json!({ "command": command }));
    for command in [
        "git merge topic",
        "git checkout main && git pull",
        "git commit -am done",
    ] {
        assert_eq!(shell(command), "", "{command}");
    }
    for command in ["git merge topic; sed -i s/a/b/ a.rs", "git show HEAD:a.rs > b.rs"] {
        assert!(
            shell(command).contains("does not allow changes to files"),
            "{command}"
        );
    }
    assert_ne!(client.denied("Edit", &json!({ "file_path": "src/a.rs" })), "");
    let shown = sandbox.run(&["step", &step.run, "--format", "text"]).ok().out;
    assert!(
        shown.contains("Only these programs may change files: git"),
        "{shown}"
    );
}

#[test]
fn a_role_that_denies_notebook_edits_can_write_plans_in_every_client() {
    let workflow = "version: 1\nsteps:\n  write:\n    title: Write the plan\n    do: Write it.\n    role: architect\n    next: end\n";
    let sandbox = Sandbox::with_skill("planning", workflow);
    let client = Client::claude(&sandbox);
    client.start(&["planning"]);
    let plan = "*** Begin Patch\n*** Add File: docs/plans/a.md\n+# A\n*** End Patch";
    for (tool, input) in [
        ("Write", json!({ "file_path": "docs/plans/a.md" })),
        ("Edit", json!({ "file_path": "docs/plans/a.md" })),
        ("apply_patch", json!({ "command": plan })),
        ("apply_patch", json!({ "input": plan })),
        ("write", json!({ "filePath": "docs/plans/a.md" })),
        (
            "Bash",
            json!({ "command": format!("apply_patch <<'EOF'\n{plan}\nEOF") }),
        ),
    ] {
        assert_eq!(client.denied(tool, &input), "", "{tool}");
    }
    assert_ne!(
        client.denied("NotebookEdit", &json!({ "notebook_path": "a.ipynb" })),
        ""
    );
}

#[test]
fn the_store_the_settings_and_the_setup_are_protected_in_every_step() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    sandbox.report(&step, &json!({ "seen": "all" })).ok();
    let store = sandbox.bugle_home().join("bugle.db");
    let settings = sandbox.project().join(".claude/settings.json");
    let user = sandbox.home().join(".claude/settings.json");
    assert_eq!(client.denied("Write", &json!({ "file_path": "src/a.rs" })), "");
    for file in [&store, &settings, &user] {
        for tool in ["Write", "Edit", "write_file", "edit"] {
            assert_ne!(
                client.denied(tool, &json!({ "file_path": file })),
                "",
                "{tool} {}",
                file.display()
            );
        }
        assert_eq!(client.denied("Read", &json!({ "file_path": file })), "");
    }
    let shell = |command: &str| client.denied("Bash", &json!({ "command": command }));
    let store = store.display();
    for command in [
        format!("sqlite3 {store} 'delete from event'"),
        format!("cd {} && rm bugle.db", sandbox.bugle_home().display()),
        "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json".to_owned(),
        "rm -rf .claude".to_owned(),
        "rm ~/.claude/settings.json".to_owned(),
        "bugle setup claude --remove".to_owned(),
        "env -u CLAUDE_CODE_SESSION_ID bugle trust guarded".to_owned(),
    ] {
        let why = shell(&command);
        assert!(
            why.starts_with("Bugle:") && why.contains("Change it"),
            "{command}: {why}"
        );
    }
    for command in [
        "rm -rf src",
        "cat .claude/settings.json",
        "bugle setup claude --check",
    ] {
        assert_eq!(shell(command), "", "{command}");
    }
    assert_eq!(
        client
            .session("session-two")
            .denied("Write", &json!({ "file_path": settings })),
        "",
        "a session without a run is unrestricted"
    );
}
