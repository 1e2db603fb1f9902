//! Hooks from outside: what each client is told in its own words, and which tools it keeps from its agent.

use serde_json::{Value, json};

use crate::harness::{Sandbox, answer, answer_with_input};
use crate::hooked::{Client, GUARDED};
use crate::shown::Step;

/// The events of each client: what it calls them, and what it tells.
fn events(client: &str) -> Vec<(&'static str, Value)> {
    let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": "src/a.rs" } });
    let read = json!({ "tool_name": "Read", "tool_input": { "file_path": "src/a.rs" }, "tool_response": "fn main() {}" });
    match client {
        "gemini" => vec![
            ("SessionStart", json!({ "source": "startup" })),
            ("BeforeAgent", json!({ "prompt": "go on" })),
            (
                "BeforeTool",
                json!({ "tool_name": "write_file", "tool_input": { "file_path": "src/a.rs" } }),
            ),
            ("AfterTool", read),
            ("AfterAgent", json!({ "stop_hook_active": false })),
            ("SessionEnd", json!({ "reason": "exit" })),
        ],
        "opencode" => vec![
            ("session.created", json!({})),
            ("chat.message", json!({ "prompt": "go on" })),
            (
                "tool.execute.before",
                json!({ "tool_name": "write", "tool_input": { "filePath": "src/a.rs" } }),
            ),
            ("tool.execute.after", read),
            ("session.compacting", json!({})),
            ("session.compacted", json!({})),
            ("chat.message", json!({ "prompt": "go on" })),
            ("session.deleted", json!({})),
        ],
        _ => vec![
            ("SessionStart", json!({ "source": "startup" })),
            ("UserPromptSubmit", json!({ "prompt": "go on" })),
            ("PreToolUse", edit),
            ("PostToolUse", read),
            ("PreCompact", json!({ "trigger": "auto" })),
            ("PostCompact", json!({ "trigger": "auto" })),
            ("SessionStart", json!({ "source": "compact" })),
            ("Stop", json!({ "stop_hook_active": false })),
            ("SessionEnd", json!({ "reason": "other" })),
        ],
    }
}

/// The moments of recent activity, `- 08:02 @name`, differ from test to test.
fn without_times(text: &str) -> String {
    let mut parts = text.split("\\n- ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_time = part.get(5..7) == Some(" @") && part.get(2..3) == Some(":");
        out.push_str("\\n- ");
        out.push_str(if is_time { "[TIME]" } else { "" });
        out.push_str(if is_time { &part[5..] } else { part });
    }
    out
}

#[test]
fn each_client_is_answered_in_its_own_words() {
    for name in ["claude", "codex", "gemini", "opencode"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let client = Client::named(&sandbox, name);
        let step = client.start(&["guarded"]);
        let mut golden = String::new();
        for (event, facts) in events(name) {
            let answer = client.told(event, &facts);
            let shown = if answer.is_null() {
                "(nothing)".to_owned()
            } else {
                serde_json::to_string_pretty(&answer).unwrap()
            };
            let shown = without_times(&client.neutral(&shown, &step.run));
            golden.push_str(&format!("{event}\n{shown}\n\n"));
        }
        insta::assert_snapshot!(format!("hooks_{name}"), golden);
    }
}

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
            assert!(why.contains("allows no changes to files"), "{command}: {why}");
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
fn a_byte_order_mark_before_the_words_of_a_client_is_no_part_of_them() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    let edit = json!({ "tool_name": "Edit", "tool_input": { "file_path": "src/a.rs" } });
    let body = format!("\u{feff}{}", client.body("PreToolUse", &edit));
    let denied = client.say("PreToolUse", body.as_bytes());
    assert!(denied.contains("\"permissionDecision\":\"deny\""), "{denied}");
    let status = "\u{feff}{\"session_id\":\"session-one\"}";
    let line = answer_with_input(&mut sandbox.bugle(&["statusline"]), status.as_bytes());
    assert!(line.ok().out.contains("Look around"));
}

#[test]
fn what_bugle_asks_for_is_never_denied() {
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
    for command in [step.command(), &heredoc, "bugle task list && bugle runs"] {
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
    // A name that only looks like the file is another file.
    let climbing = format!("{result}/../../../../project/src/a.rs");
    assert_ne!(client.denied("Write", &json!({ "file_path": climbing })), "");
    // The next step allows it, and a run that is over forbids nothing.
    let next = sandbox.report(&step, &json!({ "seen": "all" })).ok().step();
    let file = json!({ "file_path": "src/a.rs" });
    assert_eq!(client.denied("Edit", &file), "");
    sandbox.printed(next.command()).ok().end();
    assert_eq!(client.denied("Edit", &file), "");
}

#[test]
fn a_call_that_is_not_quite_json_is_understood() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    let edit =
        json!({ "tool_name": "Edit", "tool_input": { "file_path": "src/a.rs", "new_string": "MARK" } });
    let body = client.body("PreToolUse", &edit);
    let with = |bytes: &[u8]| {
        let (before, after) = body.split_once("MARK").unwrap();
        [before.as_bytes(), bytes, after.as_bytes()].concat()
    };
    let deep = format!("\",\"x\":{}0{},\"y\":\"", "[".repeat(300), "]".repeat(300));
    let long = format!(
        r#"{{"session_id":"session-one","tool_name":"Edit","tool_input":{{"file_path":"a.rs","new_string":"{}"}}}}"#,
        "x".repeat(17 * 1024 * 1024)
    );
    for (what, bytes) in [
        ("a lone surrogate", with(b"\\ud800")),
        ("a lone second surrogate", with(b"x\\udc00y")),
        ("bytes that are not UTF-8", with(b"\xff\xfe")),
        ("a control character", with(b"one\ntwo\x01")),
        ("an escape that JSON does not have", with(b"\\x41")),
        ("values that are nested deep", with(deep.as_bytes())),
        ("more than is read of a call", long.into_bytes()),
    ] {
        let denied = client.say("PreToolUse", &bytes);
        assert!(
            denied.contains("\"permissionDecision\":\"deny\""),
            "{what}: {denied}"
        );
    }
}

#[test]
fn git_changes_files_where_the_step_allows_it_and_nothing_else_does() {
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
        assert!(shell(command).contains("allows no changes to files"), "{command}");
    }
    assert_ne!(client.denied("Edit", &json!({ "file_path": "src/a.rs" })), "");
    let shown = sandbox.run(&["step", &step.run, "--format", "text"]).ok().out;
    assert!(shown.contains("Programs that may change files: git"), "{shown}");
}

#[test]
fn done_says_when_the_hooks_of_its_session_have_gone_quiet() {
    for is_quiet in [true, false] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let client = Client::claude(&sandbox);
        let step = client.start(&["guarded"]);
        client.hook("SessionStart", &json!({ "source": "startup" }));
        // The session began two hours ago, the step one.
        let connection = rusqlite::Connection::open(sandbox.database()).unwrap();
        let hour = 60 * 60 * 1000;
        let times = format!(
            "UPDATE session SET seen_at = seen_at - 2 * {hour}; UPDATE run SET changed_at = changed_at - {hour}"
        );
        connection.execute_batch(&times).unwrap();
        if !is_quiet {
            assert_eq!(client.denied("Read", &json!({ "file_path": "a.rs" })), "");
        }
        sandbox.write(step.result_file(), "{\"seen\": \"all\"}");
        let mut shell = sandbox.command("sh", &sandbox.elsewhere());
        shell
            .args(["-c", step.command()])
            .env("CLAUDE_CODE_SESSION_ID", client.session);
        let next = answer(&mut shell).ok().step();
        let says = next
            .notices
            .iter()
            .any(|notice| notice.contains("No hook of this session"));
        assert_eq!(says, is_quiet, "{:?}", next.notices);
    }
}

#[test]
fn a_role_that_leaves_notebooks_alone_writes_plans_in_every_client() {
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
        "env -u CLAUDE_CODE_SESSION_ID bugle skill trust guarded".to_owned(),
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
        "a session without a run is free"
    );
}

#[test]
fn only_the_session_of_the_run_is_held_to_it() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let file = json!({ "file_path": "src/a.rs" });
    assert_ne!(client.denied("Edit", &file), "");
    assert_eq!(client.session("session-two").denied("Edit", &file), "");
    // A helper with no run of its own does the work of whoever sent it. It is not told how to end that one's step.
    let helper = client.agent("helper").denied("Edit", &file);
    assert!(
        helper.contains("Look around") && helper.contains("the agent that sent you"),
        "{helper}"
    );
    assert!(!helper.contains(step.command()), "{helper}");
    assert_eq!(client.agent("helper").denied("Read", &file), "");
    assert_eq!(
        client
            .session("session-two")
            .agent("helper")
            .denied("Edit", &file),
        ""
    );
    sandbox.run_as_person(&["pause", &step.run]).ok();
    assert_eq!(
        client.denied("Edit", &file),
        "",
        "a run that was put aside forbids nothing"
    );
    sandbox.run(&["resume", &step.run]).ok();
    assert_ne!(client.denied("Edit", &file), "");
}

/// A step that a sub-agent of this role carries out, and what the main thread may not use meanwhile.
fn sending(main: &str, role: &str) -> Sandbox {
    let workflow = format!(
        "version: 1\nsteps:\n  send:\n    title: Send somebody\n    do: Look at it.\n    tools: {{ deny: [{main}] }}\n    dispatch: {{ role: {role}, workflow: agents/look.yaml }}\n    next: end\n"
    );
    let sandbox = Sandbox::new();
    let folder = sandbox.skill("sending", &workflow);
    let child = "version: 1\nsteps:\n  look:\n    title: Look at it\n    do: Look.\n    result:\n      report: { type: string }\n    next: end\n";
    sandbox.write(&folder.join("agents/look.yaml"), child);
    sandbox
}

/// A sub-agent runs the command with which its work begins, and the client tells of it.
fn begin(helper: Client<'_>, command: &str) -> Step {
    let mut shell = helper.sandbox.command("sh", &helper.sandbox.elsewhere());
    shell
        .arg("-c")
        .arg(command)
        .env("CLAUDE_CODE_SESSION_ID", helper.session);
    let begun = answer(&mut shell).ok();
    let told = helper.used(
        "Bash",
        &json!({ "command": command }),
        &json!({ "stdout": begun.out }),
    );
    assert_eq!(told, "");
    begun.step()
}

#[test]
fn a_sub_agent_is_held_to_its_own_run_and_the_main_thread_to_its_own() {
    let file = json!({ "file_path": "src/a.rs" });
    for (role, may_edit) in [("explore", false), ("developer", true)] {
        let sandbox = sending("WebSearch", role);
        let client = Client::claude(&sandbox);
        let helper = client.agent("agent-7");
        let step = client.start(&["sending"]);
        let command = step.starts[0].clone();
        let asked = helper.context("SubagentStart", &json!({}));
        assert!(asked.contains(&command), "{asked}");
        assert_ne!(helper.denied("Edit", &file), "", "before it has begun");
        assert_eq!(helper.denied("Bash", &json!({ "command": command })), "");
        let child = begin(helper, &command);
        assert_ne!(client.denied("WebSearch", &json!({})), "");
        assert_eq!(helper.denied("WebSearch", &json!({})), "");
        assert_ne!(
            client.denied("Edit", &file),
            "",
            "whoever leads sub-agents changes nothing"
        );
        let own = helper.denied("Edit", &file);
        assert_eq!(own.is_empty(), may_edit, "{own}");
        // The report ends the hold of its own step.
        sandbox.report(&child, &json!({ "report": "looked" })).ok();
        assert_ne!(helper.denied("Edit", &file), "", "after its report");
    }
}

#[test]
fn whoever_leads_sub_agents_is_held_to_the_orchestrators_tools() {
    let file = json!({ "file_path": "src/a.rs" });
    let sandbox = Sandbox::new();
    // A brief: its tools are the sub-agent's, and must not keep anybody from starting it.
    sandbox.skill(
        "asking",
        "version: 1\nsteps:\n  ask:\n    title: Ask somebody\n    do: Look.\n    tools: { allow: [Read, Bash] }\n    dispatch: { role: explore }\n    next: write\n  write:\n    title: Write it down\n    do: Write.\n    next: end\n",
    );
    for (skill, arguments) in [
        ("planner", vec!["planner", "task=Add a cache"]),
        ("asking", vec!["asking"]),
    ] {
        let client = Client::claude(&sandbox);
        let client = client.session(skill);
        let step = client.start(&arguments);
        for tool in ["Edit", "Write", "MultiEdit", "NotebookEdit"] {
            let why = client.denied(tool, &file);
            assert!(why.contains(tool), "{skill}, {tool}: {why}");
        }
        assert_ne!(
            client.denied("Bash", &json!({ "command": "echo x > src/a.rs" })),
            ""
        );
        for tool in ["Agent", "Read", "WebSearch"] {
            assert_eq!(client.denied(tool, &file), "", "{skill}, {tool}");
        }
        let shown = sandbox.run(&["step", &step.run, "--format", "xml"]).ok().out;
        let denied = shown.split("</denied_tools>").next().unwrap();
        let denied = denied.split("<denied_tools").nth(1).unwrap();
        assert!(denied.contains("NotebookEdit"), "{shown}");
        // Where a client's sub-agents look like whoever started them, nobody is kept from the work.
        let gemini = Client::named(&sandbox, "gemini").session(skill);
        let call = json!({ "tool_name": "write_file", "tool_input": file });
        assert_eq!(gemini.hook("BeforeTool", &call), "");
    }
}

#[test]
fn a_sub_agent_owes_its_report_and_the_orchestrator_hears_of_it() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let helper = client.agent("agent-7");
    let step = client.start(&["sending"]);
    let child = begin(helper, &step.starts[0]);
    let owed = helper.told("SubagentStop", &json!({ "stop_hook_active": false }));
    assert_eq!(owed["decision"], "block", "{owed}");
    assert!(
        owed["reason"].as_str().unwrap().contains(child.command()),
        "{owed}"
    );
    let told = client.used("Agent", &json!({}), &json!("done"));
    assert_eq!(told, "", "it is still at work");
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
    assert_eq!(
        helper.hook("SubagentStop", &json!({ "stop_hook_active": true })),
        ""
    );
    let told = client.used("Agent", &json!({}), &json!("done"));
    assert!(told.contains("1 of 1") && told.contains(step.command()), "{told}");
    // A client's own summariser, which is of no kind, is not spoken to.
    let summariser = json!({ "agent_type": "" });
    assert_eq!(client.agent("agent-8").hook("SubagentStart", &summariser), "");
    assert_eq!(client.agent("agent-8").hook("SubagentStop", &summariser), "");
}

#[test]
fn what_a_sub_agent_left_is_taken_up_by_another_that_owes_the_report() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    let command = step.starts[0].clone();
    let first = client.agent("agent-1");
    let begun = begin(first, &command);
    let is_kept = |helper: Client<'_>, again: bool| {
        helper.told("SubagentStop", &json!({ "stop_hook_active": again }))["decision"] == "block"
    };
    let kept: Vec<bool> = [false, true, true, true]
        .map(|again| is_kept(first, again))
        .into();
    assert_eq!(kept, [true, true, true, false]);
    let shown = sandbox.run(&["step", &step.run]).ok().out;
    assert!(
        shown.contains("stopped without a report") && !shown.contains("waits for the user"),
        "{shown}"
    );
    assert!(client.stop(false).contains(&command), "nobody is at work");
    let second = client.agent("agent-2");
    assert!(second.context("SubagentStart", &json!({})).contains(&command));
    assert_eq!(begin(second, &command), begun, "it goes on where it stood");
    assert_eq!(sandbox.position(&begun.run).0, "active");
    assert!(is_kept(second, false), "it owes the report");
    sandbox.report(&begun, &json!({ "report": "looked" })).ok();
    assert!(!is_kept(second, true));
    sandbox.verify();
}

#[test]
fn a_role_of_bugle_that_never_began_is_asked_once_to() {
    let sandbox = sending("WebSearch", "explore");
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    let kept_by = |agent: &'static str, kind: &str| {
        let facts = json!({ "agent_type": kind, "stop_hook_active": false });
        let told = client.agent(agent).told("SubagentStop", &facts);
        told["reason"].as_str().unwrap_or_default().to_owned()
    };
    let asked = kept_by("agent-1", "bugle-explore");
    assert!(asked.contains(&step.starts[0]), "{asked}");
    assert_eq!(kept_by("agent-1", "bugle-explore"), "", "once");
    assert_ne!(kept_by("agent-2", "bugle:bugle-explore"), "");
    assert_eq!(
        kept_by("agent-3", "general-purpose"),
        "",
        "somebody else's business"
    );
    let child = sandbox.printed(&step.starts[0]).ok().step();
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
    assert_eq!(kept_by("agent-4", "bugle-explore"), "", "nothing is left to take");
}
