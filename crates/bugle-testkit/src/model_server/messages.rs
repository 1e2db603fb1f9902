//! Replies in Claude Code's Messages protocol, streamed or complete.

use serde_json::{Value, json};

use super::http::Response;
use super::reply::{Reply, fresh_id};
use super::request::Request;

pub(super) fn encode(request: &Request, reply: &Reply, streamed: bool) -> Response {
    let stop = if reply.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    };
    let usage = json!({
        "input_tokens": reply.input_tokens, "output_tokens": 10,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let mut message = json!({
        "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": request.body["model"],
        "content": blocks(request, reply), "stop_reason": stop, "stop_sequence": null, "usage": usage,
    });
    if !streamed {
        return Response::json(&message);
    }
    let blocks = message["content"].take();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    let mut events = vec![json!({ "type": "message_start", "message": message })];
    for (index, block) in blocks.as_array().into_iter().flatten().enumerate() {
        let (start, delta) = parts(block);
        events.extend([
            json!({ "type": "content_block_start", "index": index, "content_block": start }),
            json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            json!({ "type": "content_block_stop", "index": index }),
        ]);
    }
    events.extend([
        json!({ "type": "message_delta", "delta": { "stop_reason": stop, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ]);
    Response::events(&events)
}

fn blocks(request: &Request, reply: &Reply) -> Vec<Value> {
    let text = reply
        .text
        .iter()
        .map(|text| json!({ "type": "text", "text": text }));
    let calls = reply.calls.iter().map(|call| {
        let (_, name, input) = call.resolve(request);
        json!({ "type": "tool_use", "id": fresh_id("toolu"), "name": name, "input": input })
    });
    text.chain(calls).collect()
}

/// An empty block and the delta that fills it.
fn parts(block: &Value) -> (Value, Value) {
    let mut start = block.clone();
    if block["type"] == "text" {
        start["text"] = json!("");
        return (start, json!({ "type": "text_delta", "text": block["text"] }));
    }
    start["input"] = json!({});
    let input = block["input"].to_string();
    (
        start,
        json!({ "type": "input_json_delta", "partial_json": input }),
    )
}
