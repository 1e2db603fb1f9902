//! Reviews in real clients. The main thread cannot review its own work, but a sub-agent can.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, between, finish, sight};
use crate::subagents::{of_agents, send};
use crate::work::{data, runs, set_up, status};

const CHECKED: &str = "version: 1
steps:
  build:
    title: Build it
    do: Build the shelf.
    next: review
  review:
    title: Review it
    do: Look at the shelf.
    dispatch: { role: quality-reviewer }
    result:
      checks: { type: array, items: string, min: 1 }
      findings: findings
    gate: { name: Straightness, rework: build, limit: 3 }
    next: { ok: use_it, fail: build }
  use_it:
    title: Use it
    do: Put the jam on the shelf.
    next: end
";

fn reviewed_by_a_sub_agent(client: Client) {
    let Some(sandbox) = set_up(client, &[("checked", CHECKED)]) else {
        return;
    };
    let model = move |request: &Request| {
        let shown = request.shown();
        if request.subagent().is_some() {
            return match sight(request) {
                Sight::Nothing => Reply::shell(between(&shown, "<start>", "</start>").unwrap()),
                Sight::Step(seen) => finish(&seen, &json!({ "checks": ["level"], "findings": [] })),
                Sight::Complete => Reply::text("I have reported."),
            };
        }
        match sight(request) {
            Sight::Nothing => Reply::shell("bugle start checked"),
            Sight::Step(seen) if seen.step == "review" && !shown.contains("reason=\"self-review\"") => {
                Reply::shell(&seen.starts[0])
            }
            Sight::Step(seen)
                if seen.step == "review" && shown.contains("1 of 1 sub-agents have reported") =>
            {
                Reply::shell(seen.command)
            }
            Sight::Step(seen) if seen.step == "review" => match between(&shown, "\"agent_id\":\"", "\"") {
                Some(agent) => of_agents("wait_agent", json!({ "targets": [agent], "timeout_ms": 60_000 })),
                None => send(client, &seen, false),
            },
            Sight::Step(seen) => Reply::shell(seen.command),
            Sight::Complete => Reply::text("It is straight."),
        }
    };
    let finished = sandbox.launch("Build the shelf.").run(model).ok();
    assert_eq!(finished.answer(), "It is straight.", "{finished}");
    assert_eq!(status(&sandbox, "checked"), "completed", "{finished}");
    let (_, run, _) = runs(&sandbox).remove(0);
    let findings = data(&sandbox, &["findings", &run]);
    assert_eq!(findings["verdict"]["self_review"], json!(false), "{findings}");
}

#[test]
fn claude_has_a_sub_agent_review_its_work() {
    reviewed_by_a_sub_agent(Client::Claude);
}

#[test]
fn codex_has_a_sub_agent_review_its_work() {
    reviewed_by_a_sub_agent(Client::Codex);
}
