//! Wake-ups delivered by hooks: each once, at the right moment, in the right session.

use serde_json::json;

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

fn compacting(client: Client<'_>) {
    assert_eq!(client.hook("PreCompact", &json!({ "trigger": "auto" })), "");
}

fn compacted(client: Client<'_>) {
    assert_eq!(client.hook("PostCompact", &json!({ "trigger": "auto" })), "");
}

#[test]
fn each_session_source_gets_the_context_that_it_lacks() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    assert_eq!(client.begin_session("startup"), "", "nothing is open");
    let step = client.start(&["guarded"]);
    for source in ["startup", "compact", "resume"] {
        let text = client.begin_session(source);
        assert!(text.contains(step.command()), "{source}: {text}");
        let whole = text.contains("Read, and change nothing.");
        assert_eq!(whole, source != "resume", "{source}: {text}");
    }
    // A session start without a source counts as new.
    assert!(
        client
            .context("SessionStart", &json!({}))
            .contains(step.command())
    );
}

#[test]
fn a_resumed_session_gets_the_whole_step_if_its_client_has_dropped_the_wake_up() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    Client::claude(&sandbox).start(&["guarded"]);
    let text = Client::named(&sandbox, "qwen").begin_session("resume");
    assert!(text.contains("Read, and change nothing."), "{text}");
}

#[test]
fn after_a_compaction_without_a_session_start_the_next_hook_wakes_the_agent_once() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    assert_eq!(client.prompt(), "");
    for _ in 0..3 {
        compacting(client);
        compacted(client);
        assert!(client.prompt().contains(step.command()));
        assert_eq!(client.prompt(), "");
        assert_eq!(client.used("Read", &json!({}), &json!("")), "");
    }
    // In the middle of a turn, the wake-up is delivered at the next tool use.
    compacting(client);
    compacted(client);
    assert!(
        client
            .used("Read", &json!({}), &json!(""))
            .contains(step.command())
    );
    assert_eq!(client.prompt(), "");
}

#[test]
fn the_order_in_which_clients_report_a_compaction_does_not_matter() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let claude = Client::claude(&sandbox);
    let step = claude.start(&["guarded"]);
    for start_first in [true, false, true, false] {
        compacting(claude);
        if !start_first {
            compacted(claude);
        }
        assert!(claude.begin_session("compact").contains(step.command()));
        if start_first {
            compacted(claude);
        }
        assert_eq!(claude.prompt(), "", "it was already delivered");
    }
    // A failed compaction needs no wake-up.
    compacting(claude);
    assert_eq!(claude.prompt(), "");
}

#[test]
fn a_message_is_delivered_exactly_once_wherever_it_is_delivered_first() {
    for first in ["PostToolUse", "UserPromptSubmit", "Stop"] {
        let sandbox = Sandbox::with_skill("guarded", GUARDED);
        let client = Client::claude(&sandbox);
        client.start(&["guarded"]);
        sandbox
            .run(&["say", "@session-one the lamp is blue", "--as", "june"])
            .ok();
        let mut told = Vec::new();
        let order = [first, "PostToolUse", "UserPromptSubmit", "Stop", "PostToolUse"];
        for event in order {
            let facts =
                json!({ "tool_name": "Read", "tool_input": {}, "prompt": "x", "stop_hook_active": false });
            let answer = client.hook(event, &facts);
            told.push(answer.matches("the lamp is blue").count());
        }
        assert_eq!(told[0], 1, "{first}: {told:?}");
        assert_eq!(told.iter().sum::<usize>(), 1, "{first}: {told:?}");
    }
}

#[test]
fn a_message_keeps_an_idle_agent_from_stopping_once() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    sandbox
        .run(&["say", "@session-one look here", "--as", "june"])
        .ok();
    assert!(client.stop(false).contains("look here"));
    assert_eq!(client.hook("Stop", &json!({ "stop_hook_active": true })), "");
}

#[test]
fn a_cleared_session_hands_its_run_to_the_next() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    client.begin_session("startup");
    client.hook("SessionEnd", &json!({ "reason": "clear" }));
    let next = client.session("session-two");
    assert!(next.begin_session("clear").contains(step.command()));
    let file = json!({ "file_path": "src/a.rs" });
    assert_ne!(next.denied("Edit", &file), "");
    assert_eq!(
        client.denied("Edit", &file),
        "",
        "the old session has no run left"
    );
    let found = sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", "session-two", &["step"]);
    assert_eq!(found.ok().step().run, step.run);
}

#[test]
fn a_session_that_ended_continues_its_run_when_it_is_resumed() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    client.hook("SessionEnd", &json!({ "reason": "other" }));
    assert_ne!(client.begin_session("resume"), "");
    assert_ne!(client.denied("Edit", &json!({ "file_path": "src/a.rs" })), "");
}

#[test]
fn sub_agents_do_not_receive_the_main_threads_messages() {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    let client = Client::claude(&sandbox);
    client.start(&["guarded"]);
    sandbox
        .run(&["say", "@session-one for you alone", "--as", "june"])
        .ok();
    let helper = client.agent("agent-7");
    assert_eq!(helper.prompt(), "");
    assert_eq!(helper.used("Read", &json!({}), &json!("")), "");
    assert!(client.prompt().contains("for you alone"));
}
