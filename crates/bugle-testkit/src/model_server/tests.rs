//! Tests of the model server with raw requests over a socket.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Call, Exchange, ModelServer, Reply, Request, Speaker, turns};

struct Served {
    folder: TempDir,
    server: ModelServer,
}

impl Served {
    fn by(model: impl FnMut(&Request) -> Reply + Send + 'static) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = ModelServer::start(&folder.path().join("model.sock"), model).unwrap();
        Self { folder, server }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("model.sock")
    }

    /// Sends a raw request and returns the response's status line and body.
    fn raw(&self, request: &str) -> (String, String) {
        let mut connection = UnixStream::connect(self.socket()).unwrap();
        connection.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.lines().next().unwrap().to_owned(), body.to_owned())
    }

    fn post(&self, path: &str, body: &Value) -> (String, String) {
        let body = body.to_string();
        let length = body.len();
        self.raw(&format!(
            "POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn finish(self) -> Vec<Exchange> {
        self.server.finish()
    }
}

/// The data of all events. Each event's name must equal the `type` in its data.
fn events(body: &str) -> Vec<Value> {
    let event = |block: &str| {
        let (name, data) = block.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
        data
    };
    body.split_terminator("\n\n").map(event).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

fn two_calls(_: &Request) -> Reply {
    let mut reply = Reply::text("I look.").and(Call::Shell("ls".to_owned())).at(7_000);
    reply.calls.push(Call::Tool {
        namespace: Some("mcp__bugle".to_owned()),
        name: "step".to_owned(),
        input: json!({ "run": "r-1" }),
    });
    reply
}

#[test]
fn messages_are_streamed_block_by_block() {
    let served = Served::by(two_calls);
    let (status, body) = served.post("/v1/messages?beta=true", &json!({ "model": "m", "stream": true }));
    assert!(status.contains(" 200 "), "{status}");
    let events = events(&body);
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let mut wanted = vec!["message_start"];
    wanted.extend(block.repeat(3));
    wanted.extend(["message_delta", "message_stop"]);
    assert_eq!(types(&events), wanted);
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 7_000);
    assert_eq!(events[2]["delta"]["text"], "I look.");
    assert_eq!(events[4]["content_block"]["name"], "Bash");
    let input: Value = serde_json::from_str(events[5]["delta"]["partial_json"].as_str().unwrap()).unwrap();
    assert_eq!(input["command"], "ls");
    assert_eq!(events[10]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn messages_are_complete_without_streaming() {
    let served = Served::by(|_| Reply::text("Hello."));
    let (_, body) = served.post("/v1/messages", &json!({ "model": "m" }));
    let message: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(message["content"], json!([{ "type": "text", "text": "Hello." }]));
    assert_eq!(message["stop_reason"], "end_turn");
}

#[test]
fn responses_are_streamed_item_by_item() {
    let served = Served::by(two_calls);
    let (_, body) = served.post("/v1/responses", &json!({ "model": "m", "stream": true }));
    let events = events(&body);
    let item = ["response.output_item.added", "response.output_item.done"];
    let mut wanted = vec!["response.created", item[0], "response.output_text.delta", item[1]];
    wanted.extend(item.repeat(2));
    wanted.push("response.completed");
    assert_eq!(types(&events), wanted);
    let output = &events[8]["response"]["output"];
    assert_eq!(output[0]["content"][0]["text"], "I look.");
    assert_eq!(output[1]["name"], "exec_command");
    assert_eq!(output[1]["arguments"], r#"{"cmd":"ls"}"#);
    assert_eq!(output[2]["namespace"], "mcp__bugle");
    assert_eq!(events[8]["response"]["usage"]["total_tokens"], 7_010);
}

#[test]
fn responses_are_complete_without_streaming() {
    let served = Served::by(|_| Reply::text("Hello."));
    let (_, body) = served.post("/v1/responses", &json!({ "model": "m" }));
    let answer: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(answer["output"][0]["content"][0]["text"], "Hello.");
}

#[test]
fn a_request_may_be_chunked() {
    let served = Served::by(|request| Reply::text(request.news()));
    let (_, body) = served.raw(concat!(
        "POST /v1/responses HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "a\r\n{\"input\":[\r\n1d\r\n{\"role\":\"user\",\"content\":\"hi\"\r\n3\r\n}]}\r\n0\r\n\r\n",
    ));
    assert!(body.contains("\"text\":\"hi\""), "{body}");
}

#[test]
fn other_requests_do_not_reach_the_model() {
    let served = Served::by(|_| panic!("the model was called"));
    let (_, count) = served.post("/v1/messages/count_tokens", &json!({ "messages": [] }));
    assert!(count.contains("input_tokens"), "{count}");
    let (status, _) = served.raw("GET /v1/models HTTP/1.1\r\n\r\n");
    assert!(status.contains(" 404 "), "{status}");
    let exchanges = served.finish();
    assert_eq!(exchanges.len(), 2);
    assert!(exchanges.iter().all(|exchange| exchange.reply.is_none()));
}

#[test]
fn an_error_can_be_scripted() {
    let served = Served::by(|_| Reply::error(529));
    let (status, _) = served.post("/v1/messages", &json!({}));
    assert!(status.contains(" 529 "), "{status}");
}

#[test]
fn finish_panics_if_the_model_panicked() {
    let served = Served::by(|_| panic!("the request is wrong"));
    let (status, _) = served.post("/v1/messages", &json!({}));
    assert!(status.contains(" 500 "), "{status}");
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| served.finish())).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"the request is wrong"));
}

#[test]
fn both_protocols_yield_the_same_conversation() {
    let served = Served::by(turns("", []));
    served.post(
        "/v1/messages",
        &json!({
            "system": [{ "type": "text", "text": "Standing." }],
            "messages": [
                { "role": "user", "content": "Do it." },
                { "role": "assistant", "content": [
                    { "type": "text", "text": "Yes." },
                    { "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": "bugle run list" } },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "t", "content": "one\n  bugle done r-1#1\ntwo" },
                ] },
                { "role": "system", "content": "From a hook." },
            ],
        }),
    );
    served.post(
        "/v1/responses",
        &json!({
            "instructions": "Standing.",
            "input": [
                { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Do it." }] },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Yes." }] },
                { "type": "function_call", "call_id": "t", "name": "Bash", "arguments": "bugle run list" },
                { "type": "function_call_output", "call_id": "t", "output": "one\n  bugle done r-1#1\ntwo" },
                { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": "From a hook." }] },
            ],
        }),
    );
    for Exchange { request, .. } in served.finish() {
        let said = request.conversation();
        let said: Vec<_> = said.iter().map(|said| (said.by, said.text.as_str())).collect();
        let result = "one\n  bugle done r-1#1\ntwo";
        assert_eq!(
            said,
            [
                (Speaker::Instructions, "Standing."),
                (Speaker::User, "Do it."),
                (Speaker::Assistant, "Yes."),
                (Speaker::Assistant, "Bash bugle run list"),
                (Speaker::Tool, result),
                (Speaker::System, "From a hook."),
            ],
            "{:?}",
            request.protocol
        );
        assert_eq!(request.news(), format!("{result}\nFrom a hook."));
        assert_eq!(request.last_tool_result().as_deref(), Some(result));
        // The model's own text is not included.
        assert_eq!(request.last_line("bugle "), Some("bugle done r-1#1".to_owned()));
    }
}

#[test]
fn a_summary_does_not_use_up_a_turn() {
    let served = Served::by(turns("In short.", [Reply::text("One."), Reply::text("Two.")]));
    let ask = |text: &str| {
        let body = json!({ "messages": [{ "role": "user", "content": text }] });
        let (_, answer) = served.post("/v1/messages", &body);
        let message: Value = serde_json::from_str(&answer).unwrap();
        message["content"][0]["text"].as_str().unwrap().to_owned()
    };
    let answers = ["Go.", "Please create a detailed summary of it.", "On.", "On."].map(ask);
    assert_eq!(answers, ["One.", "In short.", "Two.", "That is all."]);
    let numbers: Vec<usize> = served
        .finish()
        .iter()
        .map(|exchange| exchange.request.number)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}
