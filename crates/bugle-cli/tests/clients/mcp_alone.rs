//! A client that Bugle was not set up for: no hooks, no skills, no shell. The agent has only the tools of `bugle mcp`.

use bugle_testkit::clients::{Client, Sandbox};
use bugle_testkit::model_server::{Reply, Request};
use serde_json::{Value, json};

use crate::work::{add_skill, status};

const LOOK: &str = "version: 1
steps:
  look:
    title: Look
    do: Look at it.
    result:
      found: { type: string }
    next: tell
  tell:
    title: Tell
    do: 'Tell the user about {{ state.look.found }}.'
    next: end
";

/// Starts the client with nothing but Bugle's MCP server.
fn run(
    sandbox: &Sandbox,
    prompt: &str,
    model: impl FnMut(&Request) -> Reply + Send + 'static,
) -> bugle_testkit::clients::Finished {
    let servers = json!({ "mcpServers": { "bugle": { "command": "bugle", "args": ["mcp"] } } }).to_string();
    let launch = sandbox.launch(prompt).arguments(&[
        "--mcp-config",
        &servers,
        "--strict-mcp-config",
        "--allowedTools",
        "mcp__bugle",
        "--disallowedTools",
        "Bash,Edit,Write,Agent,Skill",
    ]);
    launch.run(model).ok()
}

/// Makes the last call that a text prints, with the result if the step asks for one.
fn follow(text: &str) -> Reply {
    let tools = ["start_run", "finish_step", "get_step"];
    let calls = tools.iter().filter_map(|tool| {
        let at = text.rfind(&format!("{tool} {{"))?;
        let rest = &text[at + tool.len() + 1..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        Some((at, tool, values.next()?.ok()?))
    });
    let (_, tool, mut arguments) = calls
        .max_by_key(|(at, ..)| *at)
        .unwrap_or_else(|| panic!("{text}"));
    if text.contains("Look at it.") && *tool == "finish_step" {
        arguments["result"] = json!({ "found": "a needle" });
    }
    Reply::tool(&format!("mcp__bugle__{tool}"), arguments)
}

#[test]
fn claude_finishes_a_run_with_tools_alone_after_it_forgot_everything() {
    let Some(sandbox) = crate::sandbox(Client::Claude) else {
        return;
    };
    add_skill(&sandbox, "look", LOOK);
    let first = run(
        &sandbox,
        "Look at it with the look skill.",
        |request| match request.last_tool_result() {
            None => Reply::tool("mcp__bugle__start_run", json!({})),
            Some(listed) if listed.contains("look: Use when this is tested.") => {
                Reply::tool("mcp__bugle__start_run", json!({ "skill": "look" }))
            }
            Some(_) => Reply::text("I stop here."),
        },
    );
    let step = first
        .requests()
        .last()
        .and_then(|request| request.last_tool_result())
        .unwrap();
    assert!(step.contains("<invoke_after>finish_step {"), "{step}");
    assert_eq!(status(&sandbox, "look"), "active");
    // Another session knows nothing.
    let second = run(&sandbox, "Go on.", |request| match request.last_tool_result() {
        None => Reply::tool("mcp__bugle__get_context", json!({})),
        Some(end) if end.contains("<run_complete") => Reply::text("It is done."),
        Some(text) => follow(&text),
    });
    assert_eq!(second.answer(), "It is done.", "{second}");
    let read: String = second
        .requests()
        .iter()
        .filter_map(|request| request.last_tool_result())
        .collect();
    assert!(read.contains("Tell the user about a needle."), "{read}");
    assert!(!read.contains("compacted"), "{read}");
    assert_eq!(status(&sandbox, "look"), "completed");
}
