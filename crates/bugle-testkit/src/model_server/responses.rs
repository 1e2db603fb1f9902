//! Replies in Codex's Responses protocol, streamed or complete.

use serde_json::{Value, json};

use super::http::Response;
use super::reply::{Reply, fresh_id};
use super::request::Request;

pub(super) fn encode(request: &Request, reply: &Reply, streamed: bool) -> Response {
    let items = items(request, reply);
    let answer = json!({
        "id": fresh_id("resp"), "object": "response", "status": "completed", "model": request.body["model"], "output": items,
        "usage": {
            "input_tokens": reply.input_tokens, "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 10, "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": reply.input_tokens + 10,
        },
    });
    if !streamed {
        return Response::json(&answer);
    }
    let mut begun = answer.clone();
    begun["status"] = json!("in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    let mut events = vec![json!({ "type": "response.created", "response": begun })];
    for (index, item) in items.iter().enumerate() {
        events.push(
            json!({ "type": "response.output_item.added", "output_index": index, "item": opened(item) }),
        );
        if item["type"] == "message" {
            events.push(json!({
                "type": "response.output_text.delta", "item_id": item["id"], "output_index": index,
                "content_index": 0, "delta": reply.text,
            }));
        }
        events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    }
    events.push(json!({ "type": "response.completed", "response": answer }));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    Response::events(&events)
}

fn items(request: &Request, reply: &Reply) -> Vec<Value> {
    let text = reply.text.iter().map(|text| {
        json!({
            "type": "message", "id": fresh_id("msg"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    });
    let calls = reply.calls.iter().map(|call| {
        let (namespace, name, input) = call.resolve(request);
        let mut item = json!({
            "type": "function_call", "id": fresh_id("fc"), "call_id": fresh_id("call"), "status": "completed",
            "name": name,
        });
        // A string input is passed as it is, not as JSON: the tool has its own language.
        if input.is_string() {
            item["type"] = json!("custom_tool_call");
            item["input"] = input;
        } else {
            item["arguments"] = json!(input.to_string());
        }
        if let Some(namespace) = namespace {
            item["namespace"] = json!(namespace);
        }
        item
    });
    text.chain(calls).collect()
}

/// An item at the start of its stream: a message is still empty.
fn opened(item: &Value) -> Value {
    let mut opened = item.clone();
    if item["type"] == "message" {
        opened["status"] = json!("in_progress");
        opened["content"] = json!([]);
    }
    opened
}
