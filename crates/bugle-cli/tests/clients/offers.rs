//! Skills and MCP tools that a client offers its model after setup. The tools give the same answers as the commands.

use std::os::unix::fs::symlink;

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, turns};
use serde_json::json;

use crate::work::{set_up, status};

const ERRAND: &str = "version: 1
steps:
  go:
    title: Go to the shop
    do: Buy bread.
    next: end
";

const TOOLS: [&str; 8] = [
    "start_run",
    "finish_step",
    "get_step",
    "list_tasks",
    "update_task",
    "send_message",
    "read_inbox",
    "get_context",
];

fn offered(client: Client) {
    let Some(sandbox) = set_up(client, &[("errand", ERRAND)]) else {
        return;
    };
    // Codex starts servers without the user's variables, so the store must be in its default folder.
    symlink(sandbox.bugle_home(), sandbox.home().join(".bugle")).unwrap();
    let model = turns(
        "",
        [
            Reply::bugle("start_run", json!({ "skill": "errand" })),
            Reply::bugle("get_step", json!({})),
            Reply::text("I rest."),
        ],
    );
    let finished = sandbox.launch("Go on an errand.").run(model).ok();
    let requests = finished.requests();
    let first = requests[0].body.to_string();
    for name in TOOLS {
        assert!(first.contains(name), "{name}: {finished}");
    }
    for skill in ["decision-critic", "planner", "codebase-analysis"] {
        let listed = format!("- {skill}: Use ");
        assert!(requests[0].shown().contains(&listed), "{skill}: {finished}");
    }
    for request in &requests[1..3] {
        let answer = request.last_tool_result().unwrap();
        assert!(answer.contains("Buy bread."), "{answer}");
    }
    // The session owns the run, so the agent's stop is refused and the agent continues the run.
    assert!(requests[3].news().contains("Your turn is not over"), "{finished}");
    assert_eq!(status(&sandbox, "errand"), "waiting", "{finished}");
}

#[test]
fn claude_offers_skills_and_tools() {
    offered(Client::Claude);
}

#[test]
fn codex_offers_skills_and_tools() {
    offered(Client::Codex);
}
