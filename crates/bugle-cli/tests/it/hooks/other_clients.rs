//! Clients that also run other clients' hooks, and what their hooks lack.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Sandbox, answer, answer_with_input};

fn guarded(client: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let step = Client::named(&sandbox, client).start(&["guarded"]);
    (sandbox, step.run)
}

#[test]
fn a_hook_is_silent_if_the_client_that_calls_it_has_its_own_hooks() {
    let (sandbox, _) = guarded("copilot");
    let edit = json!({
        "session_id": "session-one", "hook_event_name": "PreToolUse",
        "tool_name": "Edit", "tool_input": { "path": "a.rs" },
    });
    let project = sandbox.project().display().to_string();
    let called = |written_for: &str, from: Option<&str>| {
        let mut command = sandbox.bugle(&["hook", "PreToolUse", "--client", written_for]);
        command
            .env("COPILOT_CLI", "1")
            .env("COPILOT_PROJECT_DIR", &project);
        command.envs(from.map(|folder| ("COPILOT_HOOK_DIR", folder)));
        let answer = answer_with_input(&mut command, edit.to_string().as_bytes());
        answer.ok().out
    };
    let denies = |written_for, from| called(written_for, from).contains("deny");
    assert!(denies("claude", None), "only Claude Code is set up");
    answer(&mut sandbox.bugle(&["setup", "copilot", "--user"])).ok();
    let user = sandbox.home().join(".copilot/hooks").display().to_string();
    assert!(denies("copilot", Some(&user)));
    assert_eq!(called("claude", None), "");
    answer(&mut sandbox.bugle(&["setup", "copilot", "--user", "--remove"])).ok();
    assert!(denies("claude", None), "Copilot CLI's own setup was removed");
}

/// The text that a hook adds for the agent, wherever the client reads it.
fn shown(told: &Value) -> String {
    let text = told
        .get("additionalContext")
        .unwrap_or(&told["hookSpecificOutput"]["additionalContext"]);
    text.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_wake_up_waits_for_an_event_at_which_the_client_shows_text() {
    let read = json!({ "tool_name": "Read", "tool_input": { "path": "a.rs" } });
    for (name, first) in [("copilot", "UserPromptSubmit"), ("grok", "PostToolUse")] {
        let (sandbox, run) = guarded(name);
        let client = Client::named(&sandbox, name);
        let mut woken = Vec::new();
        for (event, facts) in [
            ("SessionStart", json!({ "source": "new" })),
            ("UserPromptSubmit", json!({ "prompt": "go on" })),
            ("PostToolUse", read.clone()),
            ("PostToolUse", read.clone()),
        ] {
            if shown(&client.told(event, &facts)).contains(&run) {
                woken.push(event);
            }
        }
        assert_eq!(woken, [first], "{name}");
    }
}

#[test]
fn a_client_that_reports_only_the_start_of_a_compaction_gets_a_wake_up_after_the_next_tool() {
    let (sandbox, run) = guarded("copilot");
    let client = Client::named(&sandbox, "copilot");
    let read = json!({ "tool_name": "Read", "tool_input": { "path": "a.rs" } });
    client.hook("SessionStart", &json!({ "source": "new" }));
    client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    for _ in 0..2 {
        assert_eq!(client.hook("PreCompact", &json!({ "trigger": "auto" })), "");
        assert!(shown(&client.told("PostToolUse", &read)).contains(&run));
        assert_eq!(client.hook("PostToolUse", &read), "");
    }
}

#[test]
fn a_sub_agent_works_in_the_session_that_started_it() {
    let (sandbox, _) = guarded("copilot");
    let client = Client::named(&sandbox, "copilot").session("agent-two");
    let call = |command: &str| {
        json!({
            "agent_id": "agent-two", "agent_type": "general-purpose", "parent_agent_id": "session-one",
            "tool_name": "Bash", "tool_input": { "command": command, "description": "d" },
        })
    };
    let told = client.told("PreToolUse", &call("bugle step"));
    assert_eq!(
        told["hookSpecificOutput"]["updatedInput"],
        json!({ "command": "export BUGLE_SESSION=session-one; bugle step", "description": "d" })
    );
    assert_eq!(client.hook("PreToolUse", &call("cargo test")), "");
    let denied = client.told("PreToolUse", &call("echo x > a.rs"));
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(
        client.hook(
            "Stop",
            &json!({ "agent_id": "agent-two", "parent_agent_id": "session-one" })
        ),
        ""
    );
}

#[test]
fn a_stop_after_the_end_of_a_session_is_not_refused() {
    let (sandbox, _) = guarded("grok");
    let client = Client::named(&sandbox, "grok");
    client.hook("SessionStart", &json!({ "source": "new" }));
    let stop = |facts: &Value| client.hook("Stop", facts);
    assert_eq!(
        stop(&json!({ "reason": "shutdown", "stopHookActive": false })),
        ""
    );
    assert!(stop(&json!({ "reason": "end_turn", "stopHookActive": false })).contains("block"));
}
