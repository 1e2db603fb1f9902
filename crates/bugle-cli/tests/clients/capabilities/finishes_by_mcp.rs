//! The agent starts a run and finishes it with the tools of Bugle's MCP server, in its own session.

use std::os::unix::fs::symlink;

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use super::Seen;
use crate::agent::printed_visit;
use crate::work::{data, runs, set_up, status};
use crate::workflows::ERRAND;

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("errand", ERRAND)])?;
    // Some clients start servers without the user's variables, so the store must be in its default folder.
    symlink(sandbox.bugle_home(), sandbox.home().join(".bugle")).unwrap();
    // Not the request's number, because a client may look for the server before its first request to the model.
    let mut turn = 0;
    let model = move |request: &Request| {
        turn += 1;
        match turn {
            1 => Reply::bugle("start_run", json!({ "skill": "errand" })),
            2 => {
                let visit = printed_visit(&request.last_tool_result().unwrap_or_default());
                let input = json!({ "visit": visit, "result": { "weight": 3 } });
                Reply::bugle("finish_step", input)
            }
            _ => Reply::text("It weighs three kilos."),
        }
    };
    let finished = sandbox.launch("Go on an errand.").run(model).ok();
    let is_complete = sandbox.bugle(&["run", "list", "--all"]).contains("errand")
        && status(&sandbox, "errand") == "completed";
    assert!(is_complete || finished.requests().len() <= 6, "{finished}");
    let is_own = is_complete && agent_of_run(&sandbox).contains(&finished.session());
    Some(Seen::of(is_own))
}

/// The agent of the newest run, with its session.
fn agent_of_run(sandbox: &Sandbox) -> String {
    let (_, run, _) = runs(sandbox).remove(0);
    let summary = data(sandbox, &["show", &run])["summary"].clone();
    let agent = summary["agent"].as_str().unwrap_or_default();
    sandbox.bugle(&["agent", "show", agent, "--json"])
}
