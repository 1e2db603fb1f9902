//! Every client's hook calls and their answers.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Sandbox, answer, answer_with_input};

/// The events of each client: their names and their data.
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
            ("BeforeAgent", json!({ "prompt": "go on" })),
            ("PreCompress", json!({ "trigger": "manual" })),
            ("BeforeAgent", json!({ "prompt": "go on" })),
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

/// Replaces the times of recent activity, such as `- 08:02 @name`.
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
fn each_client_is_answered_in_its_own_dialect() {
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
fn a_byte_order_mark_before_a_clients_json_is_ignored() {
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
fn a_call_that_is_almost_json_is_understood() {
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
    // Hooks read only the first 16 MB, so this call is valid JSON followed by spaces. An unoptimised build could not
    // repair that much invalid text within a hook's time limit.
    let long = [body.as_bytes(), &b" ".repeat(17 * 1024 * 1024)].concat();
    for (what, bytes) in [
        ("a lone surrogate", with(b"\\ud800")),
        ("a lone second surrogate", with(b"x\\udc00y")),
        ("bytes that are not UTF-8", with(b"\xff\xfe")),
        ("a control character", with(b"one\ntwo\x01")),
        ("an escape that JSON does not have", with(b"\\x41")),
        ("deeply nested values", with(deep.as_bytes())),
        ("more bytes than a hook reads", long),
    ] {
        let denied = client.say("PreToolUse", &bytes);
        assert!(
            denied.contains("\"permissionDecision\":\"deny\""),
            "{what}: {denied}"
        );
    }
}

#[test]
fn done_says_when_the_sessions_hooks_have_gone_quiet() {
    for is_quiet in [true, false] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let client = Client::claude(&sandbox);
        let step = client.start(&["guarded"]);
        client.hook("SessionStart", &json!({ "source": "startup" }));
        // The session began two hours ago, the step one hour ago.
        let hour = 60 * 60 * 1000;
        let times = format!(
            "UPDATE session SET seen_at = seen_at - 2 * {hour}; UPDATE run SET changed_at = changed_at - {hour}"
        );
        sandbox.sql(&times);
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
            .any(|notice| notice.contains("The client has not called a hook in this session"));
        assert_eq!(says, is_quiet, "{:?}", next.notices);
    }
}
