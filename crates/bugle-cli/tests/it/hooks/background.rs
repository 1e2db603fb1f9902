//! Sub-agents in the background: their orchestrator may stop before they have started their work, and no work is given
//! out twice.

use serde_json::{Value, json};

use crate::support::hook_client::Client;
use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;

const TWO: &str = r#"version: 1
steps:
  send:
    title: Send two explorers
    do: Look at it.
    dispatch: { role: explore, for_each: "['cellar', 'attic']", as: room }
    next: end
"#;

/// Starts a sub-agent in the background with this start command, as the client reports it.
fn launch(client: Client<'_>, agent: &str, start: &str) {
    let input = json!({ "prompt": format!("Look.\n{start}"), "subagent_type": "explore" });
    assert_eq!(client.denied("Agent", &input), "");
    let helper = client.agent(agent);
    helper.context("SubagentStart", &json!({}));
    let response = json!({ "isAsync": true, "status": "async_launched", "agentId": agent });
    assert_eq!(client.used("Agent", &input, &response), "");
}

fn task(start: &str) -> Value {
    json!({ "prompt": format!("Look again.\n{start}"), "subagent_type": "explore" })
}

/// The orchestrator's attempt to stop while these sub-agents are at work.
fn stop(client: Client<'_>, at_work: &[&str]) -> Value {
    let running = |id: &&str| json!({ "id": id, "type": "subagent", "status": "running" });
    let tasks: Vec<Value> = at_work.iter().map(running).collect();
    let facts = json!({ "stop_hook_active": false, "background_tasks": tasks });
    client.told("Stop", &facts)
}

fn work(sandbox: &Sandbox, start: &str) {
    let child: Step = sandbox.printed(start).ok().step();
    sandbox.report(&child, &json!({ "report": "looked" })).ok();
}

#[test]
fn an_orchestrator_may_stop_before_its_sub_agents_have_started_their_work() {
    let sandbox = Sandbox::with_skill("sending", TWO);
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    launch(client, "a1", &step.starts[0]);
    launch(client, "a2", &step.starts[1]);
    // More often than a stop is refused.
    for _ in 0..5 {
        assert_eq!(stop(client, &["a1", "a2"]), Value::Null);
    }
    assert_eq!(sandbox.position(&step.run).0, "active", "the run was not let go");
    let ended = json!({ "prompt": "<task-notification>\n<status>completed</status>\n</task-notification>" });
    work(&sandbox, &step.starts[0]);
    client.agent("a1").hook("SubagentStop", &json!({}));
    assert_eq!(client.context("UserPromptSubmit", &ended), "", "one is at work");
    assert_eq!(stop(client, &["a2"]), Value::Null);
    work(&sandbox, &step.starts[1]);
    client.agent("a2").hook("SubagentStop", &json!({}));
    let woken = client.context("UserPromptSubmit", &ended);
    assert!(woken.contains("2 of 2 sub-agents have reported"), "{woken}");
    assert_eq!(stop(client, &[])["decision"], "block", "its turn has come");
}

#[test]
fn work_is_given_to_one_sub_agent_at_a_time() {
    let sandbox = Sandbox::with_skill("sending", TWO);
    let client = Client::claude(&sandbox);
    let step = client.start(&["sending"]);
    let [first, second] = [&step.starts[0], &step.starts[1]];
    launch(client, "a1", first);
    let denied = client.denied("Agent", &task(first));
    assert!(denied.contains("already works on"), "{denied}");
    assert_eq!(
        client.denied("Agent", &task(second)),
        "",
        "no sub-agent works on it"
    );
    let offered = client.agent("a2").context("SubagentStart", &json!({}));
    assert!(offered.contains(second) && !offered.contains(first), "{offered}");
    // A sub-agent that has stopped can be replaced, even if the client does not report the stop.
    client.agent("a1").hook("SubagentStop", &json!({}));
    launch(client, "a3", first);
    stop(client, &[]);
    launch(client, "a4", first);
    // Sub-agents in the background survive a compaction, but not the client's process.
    client.begin_session("compact");
    assert_ne!(client.denied("Agent", &task(first)), "");
    client.begin_session("resume");
    assert_eq!(client.denied("Agent", &task(first)), "");
}
