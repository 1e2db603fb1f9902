//! Sub-agents: what the role of one forbids is denied to it and to nobody else, and a compaction while it works costs its
//! orchestrator nothing.

use std::fs;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Call, Reply, Request};
use serde_json::json;

use crate::agent::{Seen, Sight, between, finish, sight};
use crate::work::{denial, set_up, status, write};

/// The role `explore` may change nothing.
const SURVEY: &str = "version: 1
steps:
  survey:
    title: Survey the cellar
    do: Say what is in {{ child.room }}.
    dispatch: { role: explore, with: { room: \"'the cellar'\" } }
    next: note
  note:
    title: Note it down
    do: Write notes.txt.
    next: end
";

/// What the orchestrator is told when nobody is at work any more.
const RETURNED: &str = "1 of 1 sub-agents have reported, and none is at work.";

fn send(client: Client, seen: &Seen) -> Reply {
    let [start] = seen.starts.as_slice() else {
        panic!("{seen:?}")
    };
    let prompt = format!("<task>Survey the cellar</task>\n<start>{start}</start>");
    match client {
        Client::Claude => Reply::tool(
            "Agent",
            json!({
                "description": "Survey the cellar",
                "prompt": prompt,
                "subagent_type": "general-purpose",
                "run_in_background": false,
            }),
        ),
        Client::Codex => of_agents(
            "spawn_agent",
            json!({ "message": prompt, "agent_type": "default" }),
        ),
    }
}

/// A tool for sub-agents in Codex.
fn of_agents(name: &str, input: serde_json::Value) -> Reply {
    let mut reply = Reply::tool(name, input);
    if let Some(Call::Tool { namespace, .. }) = reply.calls.first_mut() {
        *namespace = Some("multi_agent_v1".to_owned());
    }
    reply
}

/// Tries what it may not, both ways, and then reports.
fn child(client: Client, request: &Request) -> Reply {
    let shown = request.shown();
    match sight(request) {
        Sight::Nothing => Reply::shell(between(&shown, "<start>", "</start>").unwrap()),
        Sight::Step(_) if !shown.contains(denial(client)) => write(client, "notes.txt", "spoiled"),
        Sight::Step(_) if !shown.contains("this command writes notes.txt") => {
            Reply::shell("echo spoiled > notes.txt")
        }
        Sight::Step(seen) => finish(&seen, &json!({ "report": "Jam." })),
        Sight::Complete => Reply::text("I have reported."),
    }
}

fn denied(client: Client) {
    let Some(sandbox) = set_up(client, &[("survey", SURVEY)]) else {
        return;
    };
    let notes = sandbox.project().join("notes.txt");
    let model = move |request: &Request| {
        if request.subagent().is_some() {
            return child(client, request);
        }
        let shown = request.shown();
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start survey"),
            Sight::Step(seen) if seen.step == "survey" && shown.contains(RETURNED) => {
                assert!(!notes.exists(), "the sub-agent wrote what it may not");
                Reply::shell(seen.command)
            }
            Sight::Step(seen) if seen.step == "survey" => match between(&shown, "\"agent_id\":\"", "\"") {
                Some(agent) => of_agents("wait_agent", json!({ "targets": [agent], "timeout_ms": 60_000 })),
                None => send(client, &seen),
            },
            Sight::Step(_) if !notes.exists() => write(client, "notes.txt", "jam"),
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("All is noted."),
        }
    };
    let finished = sandbox.launch("Survey the cellar.").run(model).ok();
    assert_eq!(finished.answer(), "All is noted.", "{finished}");
    let notes = fs::read_to_string(sandbox.project().join("notes.txt")).unwrap();
    assert_eq!(notes.trim(), "jam", "{finished}");
    assert_eq!(status(&sandbox, "survey"), "completed", "{finished}");
}

#[test]
fn claude_sends_sub_agents_that_keep_to_their_role() {
    denied(Client::Claude);
}

#[test]
fn codex_sends_sub_agents_that_keep_to_their_role() {
    denied(Client::Codex);
}
