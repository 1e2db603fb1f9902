//! A session with several open runs: each of them restricts its agent.

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::{Sandbox, answer};

/// A workflow with one step that allows everything.
const FREE: &str = "version: 1\nsteps:\n  roam:\n    title: Roam\n    do: Roam about.\n    next: end\n";

const ASKING: &str = "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: Ask the user.\n    ask: { question: Which way?, choices: [left, right] }\n    next: end\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    sandbox.skill("free", FREE);
    sandbox.skill("asking", ASKING);
    sandbox
}

#[test]
fn a_second_run_without_denials_does_not_lift_those_of_the_first() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    let guarded = client.start(&["guarded"]);
    let free = client.start(&["free"]);
    let file = json!({ "file_path": "src/a.rs" });
    for (tool, input) in [
        ("Edit", file.clone()),
        ("Bash", json!({ "command": "sed -i s/a/b/ src/a.rs" })),
    ] {
        let why = client.denied(tool, &input);
        assert!(
            why.contains("\"Look around\" of guarded") && why.contains(guarded.command()),
            "{why}"
        );
    }
    for run in [&guarded.run, &free.run] {
        let result = sandbox.bugle_home().join("work").join(run).join("1.json");
        let why = client.denied("Write", &json!({ "file_path": result }));
        assert_eq!(why, "", "each run's result can be submitted");
    }
    let helper = client.agent("helper").denied("Edit", &file);
    assert!(helper.contains("Look around"), "{helper}");
    sandbox.report(&guarded, &json!({ "seen": "all" })).ok();
    assert_eq!(client.denied("Edit", &file), "", "no open step forbids it");
}

#[test]
fn a_released_run_does_not_hide_an_older_one_from_the_stop_hook() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    let guarded = client.start(&["guarded"]);
    let free = client.start(&["free"]);
    for again in [false, true, true] {
        let kept = client.stop(again);
        assert!(kept.contains("Roam"), "{kept}");
    }
    assert_eq!(client.stop(true), "", "the agent may stop");
    assert_eq!(sandbox.position(&free.run).0, "waiting");
    let kept = client.stop(true);
    assert!(kept.contains(guarded.command()), "{kept}");
    // A prompt from the user resumes both runs.
    client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert_eq!(sandbox.position(&free.run).0, "active");
}

#[test]
fn a_question_to_the_user_lets_the_agent_stop_whatever_else_is_open() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    client.start(&["asking"]);
    assert_eq!(client.stop(false), "");
    let why = client.denied("Edit", &json!({ "file_path": "src/a.rs" }));
    assert!(why.contains("Look around"), "{why}");
}

#[test]
fn a_session_is_limited_to_as_many_open_runs_as_a_hook_checks() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    for _ in 1..20 {
        client.start(&["free"]);
    }
    let why = client.denied("Edit", &json!({ "file_path": "src/a.rs" }));
    assert!(why.contains("Look around"), "{why}");
    let mut another = sandbox.bugle(&["start", "free"]);
    another.env("CLAUDE_CODE_SESSION_ID", client.session);
    let refused = answer(&mut another);
    assert!(
        refused.err.contains("already has the maximum of 20 open runs"),
        "{refused:?}"
    );
    client.session("session-two").start(&["free"]);
}

#[test]
fn a_sub_agent_that_starts_another_run_is_still_restricted_by_its_own() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    let helper = client.agent("agent-7");
    client.start(&["free"]);
    helper.hook("SubagentStart", &json!({}));
    let file = json!({ "file_path": "src/a.rs" });
    for skill in ["guarded", "free"] {
        let begun = client.start(&[skill]);
        let command = json!({ "command": format!("bugle start {skill}") });
        helper.used("Bash", &command, &json!({ "stdout": begun.run }));
        let why = helper.denied("Edit", &file);
        assert!(why.contains("\"Look around\" of guarded"), "{skill}: {why}");
    }
    assert_eq!(
        client.denied("Edit", &file),
        "",
        "the main thread has neither run"
    );
}

#[test]
fn a_sub_agent_cannot_take_a_run_from_the_main_thread_by_naming_it() {
    let sandbox = sandbox();
    let client = Client::claude(&sandbox);
    let guarded = client.start(&["guarded"]);
    let helper = client.agent("agent-7");
    helper.hook("SubagentStart", &json!({}));
    let command = format!("echo bugle start {}", guarded.run);
    helper.used(
        "Bash",
        &json!({ "command": command }),
        &json!({ "stdout": guarded.run }),
    );
    let why = client.denied("Edit", &json!({ "file_path": "src/a.rs" }));
    assert!(why.contains("Look around"), "{why}");
}
