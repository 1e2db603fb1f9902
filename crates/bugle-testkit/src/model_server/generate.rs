//! Replies in Gemini CLI's protocol, streamed or complete.

use serde_json::json;

use super::http::Response;
use super::reply::Reply;
use super::request::Request;

pub(super) fn encode(request: &Request, reply: &Reply) -> Response {
    let text = reply.text.iter().map(|text| json!({ "text": text }));
    let calls = reply.calls.iter().map(|call| {
        let (_, name, input) = call.resolve(request);
        json!({ "functionCall": { "name": name, "args": input } })
    });
    let parts: Vec<_> = text.chain(calls).collect();
    let answer = json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": reply.input_tokens, "candidatesTokenCount": 10,
            "totalTokenCount": reply.input_tokens + 10,
        },
        "modelVersion": "scripted",
    });
    if request.path.ends_with(":streamGenerateContent") {
        Response::chunks(&[answer], None)
    } else {
        Response::json(&answer)
    }
}
