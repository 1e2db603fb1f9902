//! The protocol over stdin and stdout: handshake, tools, errors, shutdown.

use serde_json::{Value, json};

use crate::support::mcp_client::{Client, Told, greeting, server};
use crate::support::sandbox::{Sandbox, answer_with_input};
use crate::support::workflows::THREE;

#[test]
fn each_clients_handshake_is_answered_in_its_own_version() {
    let sandbox = Sandbox::new();
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let mut client = Client::start(server(&sandbox));
        client.send(
            &json!({ "jsonrpc": "2.0", "id": "server-discover-probe-1", "method": "server/discover",
                "params": { "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                    "io.modelcontextprotocol/clientCapabilities": {} } } })
            .to_string(),
        );
        let probe = client.receive();
        assert_eq!(probe["id"], "server-discover-probe-1");
        assert!(probe.get("result").is_some(), "{probe}");
        let greeting = client.ask("initialize", &greeting(version));
        let result = &greeting["result"];
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "bugle");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        let instructions = result["instructions"].as_str().unwrap();
        assert!(instructions.matches(". ").count() < 3, "{instructions}");
        // Not every client confirms the handshake.
        let tools = client.ask("tools/list", &json!({}));
        assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 8);
        assert_eq!(client.leave(), (vec![], Some(0)));
    }
}

#[test]
fn a_probe_without_its_metadata_is_answered_too() {
    let sandbox = Sandbox::new();
    let mut client = Client::start(server(&sandbox));
    let probe = client.ask("server/discover", &json!({}));
    assert!(probe["error"]["code"].is_number(), "{probe}");
    assert_eq!(
        client.ask("initialize", &greeting("2025-11-25"))["result"]["protocolVersion"],
        "2025-11-25"
    );
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn a_client_of_the_newest_protocol_needs_no_handshake() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let mut client = Client::start(server(&sandbox));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let called = client.ask(
        "tools/call",
        &json!({ "name": "start_run", "arguments": { "skill": "three" }, "_meta": meta }),
    );
    assert!(Told::of(&called).fine().contains("Do the first thing"));
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn the_tools_are_listed_with_small_schemas() {
    let sandbox = Sandbox::new();
    let mut client = Client::greeted(server(&sandbox));
    let listed = client.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "start_run",
            "finish_step",
            "get_step",
            "list_tasks",
            "update_task",
            "send_message",
            "read_inbox",
            "get_context"
        ]
    );
    // Common tokenizers need at most one token for three bytes of English JSON.
    let bytes = listed["result"]["tools"].to_string().len();
    assert!(bytes / 3 < 2_000, "{bytes} bytes");
    for tool in tools {
        assert!(jsonschema::validator_for(&tool["inputSchema"]).is_ok(), "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object");
    }
}

#[test]
fn every_request_is_answered_and_the_server_continues() {
    let sandbox = Sandbox::new();
    let mut client = Client::greeted(server(&sandbox));
    let error = |answer: &Value| answer["error"]["code"].as_i64().unwrap();
    assert_eq!(error(&client.ask("no/such/method", &json!({}))), -32601);
    assert_eq!(
        error(&client.ask("resources/read", &json!({ "uri": "x:y" }))),
        -32601
    );
    let unknown = client.ask("tools/call", &json!({ "name": "destroy", "arguments": {} }));
    assert_eq!(error(&unknown), -32602);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("finish_step")
    );
    assert!(client.ask("tools/call", &json!({ "arguments": {} }))["error"].is_object());
    // Unreadable input belongs to no request; the next request is still answered.
    for broken in [
        "{\"jsonrpc\":\"2.0\",\"id\":",
        "not JSON",
        "",
        "\u{feff}",
        "[]",
        "42",
        "{}",
    ] {
        client.send(broken);
    }
    client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/of/another/kind" }).to_string());
    client.send(&json!({ "jsonrpc": "2.0", "id": "last", "method": "tools/list" }).to_string());
    let answered = (0..10)
        .map(|_| client.receive())
        .find(|answer| answer["id"] == "last");
    assert!(answered.unwrap()["result"]["tools"].is_array());
    assert_eq!(client.leave(), (vec![], Some(0)));
}

#[test]
fn at_the_end_of_input_the_server_answers_everything_and_exits() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let ended = answer_with_input(&mut server(&sandbox), b"").exits(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
    let half = answer_with_input(&mut server(&sandbox), b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth").exits(0);
    assert_eq!(half.out, "");
    // A notification before the handshake does not end the server.
    let early =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let hello =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": greeting("2025-06-18") });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "start_run", "arguments": { "skill": "three" } } });
    let input = format!("{early}\n{hello}\n{call}\n");
    let answered = answer_with_input(&mut server(&sandbox), input.as_bytes()).exits(0);
    let answers: Vec<Value> = answered
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2, "{}", answered.out);
    assert!(Told::of(&answers[1]).fine().contains("Do the first thing"));
    sandbox.verify();
}

#[test]
fn a_termination_signal_ends_the_server_at_once() {
    let sandbox = Sandbox::new();
    let client = Client::greeted(server(&sandbox));
    let id = client.server.id().to_string();
    sandbox.tool(&sandbox.project(), "sh", &["-c", &format!("kill -TERM {id}")]);
    assert_eq!(
        client.lines.iter().count(),
        0,
        "only protocol messages are written"
    );
    // Keep the input open, so that only the signal can end the server.
    let (mut server, _input) = (client.server, client.input);
    assert_eq!(server.wait().unwrap().code(), Some(0));
}
