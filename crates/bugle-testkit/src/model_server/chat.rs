//! Replies in the protocol of chat completions, streamed or complete.

use serde_json::{Value, json};

use super::http::Response;
use super::reply::{Reply, fresh_id};
use super::request::Request;

pub(super) fn encode(request: &Request, reply: &Reply, streamed: bool) -> Response {
    let calls = calls(request, reply);
    let finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    let usage = json!({
        "prompt_tokens": reply.input_tokens, "completion_tokens": 10, "total_tokens": reply.input_tokens + 10,
    });
    let id = fresh_id("chatcmpl");
    let model = &request.body["model"];
    if !streamed {
        let mut message = json!({ "role": "assistant", "content": reply.text });
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        return Response::json(&json!({
            "id": id, "created": 1, "model": model, "object": "chat.completion", "usage": usage,
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        }));
    }
    let chunk = |choices: Value, usage: &Value| {
        json!({
            "id": id, "created": 1, "model": model, "object": "chat.completion.chunk", "choices": choices,
            "usage": usage,
        })
    };
    let delta = |delta: Value, finish: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        chunk(json!([choice]), &Value::Null)
    };
    let text = reply.text.as_deref().unwrap_or_default();
    let mut chunks = vec![delta(json!({ "role": "assistant", "content": text }), None)];
    for (index, mut call) in calls.into_iter().enumerate() {
        call["index"] = json!(index);
        chunks.push(delta(json!({ "tool_calls": [call] }), None));
    }
    chunks.push(delta(json!({}), Some(finish)));
    chunks.push(chunk(json!([]), &usage));
    Response::chunks(&chunks, Some("[DONE]"))
}

fn calls(request: &Request, reply: &Reply) -> Vec<Value> {
    let call = |call: &super::Call| {
        let (_, name, input) = call.resolve(request);
        let function = json!({ "name": name, "arguments": input.to_string() });
        json!({ "id": fresh_id("call"), "type": "function", "function": function })
    };
    reply.calls.iter().map(call).collect()
}
