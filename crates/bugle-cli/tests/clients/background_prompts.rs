//! A prompt that the client generates is no input of the user: the agent may not relay an answer after it.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::between;
use crate::work::{ASKING, set_up, status};

/// Relays an answer that the user never gave, or gave.
fn decide(request: &Request) -> Reply {
    let shown = request.shown();
    let visit = between(&shown, "bugle decide '", "'").unwrap_or("r-none");
    Reply::shell(format!("bugle decide '{visit}' left"))
}

/// An agent that asks, and answers for its user when a sub-agent in the background has finished.
fn impatient(request: &Request) -> Reply {
    if request.subagent().is_some() {
        return Reply::text("Left looks good.");
    }
    let news = request.news();
    match request.last_tool_result() {
        None => Reply::shell("bugle start asking"),
        Some(_) if news.contains("<task-notification>") => decide(request),
        Some(result) if result.contains("user-not-heard") => Reply::text("Left or right?"),
        Some(result) if result.contains("Which way?") => Reply::tool(
            "Agent",
            json!({ "description": "Think", "prompt": "Left or right?", "subagent_type": "general-purpose" }),
        ),
        Some(_) => Reply::text("Which way: left or right?"),
    }
}

#[test]
fn claude_wakes_its_agent_with_a_prompt_that_is_not_the_users() {
    let Some(sandbox) = set_up(Client::Claude, &[("asking", ASKING)]) else {
        return;
    };
    let asked = sandbox.launch("Ask me which way.").run(impatient).ok();
    let refused = |request: &&Request| {
        let result = request.last_tool_result();
        result.is_some_and(|result| result.contains("user-not-heard"))
    };
    assert!(asked.requests().iter().any(refused), "{asked}");
    assert_eq!(status(&sandbox, "asking"), "waiting", "{asked}");
    let mut relayed = false;
    let relays = move |request: &Request| {
        if std::mem::replace(&mut relayed, true) {
            return Reply::text("Left it is.");
        }
        decide(request)
    };
    let session = asked.session();
    let answered = sandbox.launch("Left, please.").resume(&session).run(relays).ok();
    assert_eq!(status(&sandbox, "asking"), "completed", "{answered}");
}
