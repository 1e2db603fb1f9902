//! What Claude Code prints with `--output-format stream-json`.

use serde_json::Value;

use super::{Transcript, TranscriptItem, input, millionths, number, text, words};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = Vec::new();
    match text(value, "type") {
        // A session that cannot be found is named in the result all the same.
        Some("result") => items.extend(result(transcript, value)),
        Some(kind) => {
            items.extend(transcript.session(text(value, "session_id")));
            // What a sub-agent does is its own business.
            if value.get("parent_tool_use_id").is_none_or(Value::is_null) {
                items.extend(blocks(transcript, kind, value));
            }
        }
        None => {}
    }
    items
}

fn blocks(transcript: &mut Transcript, kind: &str, value: &Value) -> Vec<TranscriptItem> {
    let Some(blocks) = value["message"]["content"].as_array() else {
        return Vec::new();
    };
    let mut items = Vec::new();
    for block in blocks {
        items.extend(match (kind, text(block, "type")) {
            ("assistant", Some("text")) => text(block, "text").map(|text| transcript.said(text.to_owned())),
            ("assistant", Some("tool_use")) => Some(TranscriptItem::ToolUsed {
                tool: text(block, "name").unwrap_or_default().to_owned(),
                input: input(&block["input"]),
            }),
            ("user", Some("tool_result")) => Some(TranscriptItem::ToolResult {
                output: words(&block["content"]),
                failed: block["is_error"].as_bool().unwrap_or_default(),
            }),
            _ => None,
        });
    }
    items
}

fn result(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let failed = value["is_error"].as_bool().unwrap_or_default();
    let mut items = Vec::new();
    if !failed {
        items.extend(transcript.session(text(value, "session_id")));
    }
    let usage = &value["usage"];
    let tokens = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ];
    items.push(TranscriptItem::Cost {
        tokens: tokens.iter().map(|name| number(usage, name)).sum(),
        cost: millionths(value.get("total_cost_usd")),
    });
    let answer = text(value, "result").map(str::to_owned);
    if failed {
        let errors = words(&value["errors"]);
        items.push(TranscriptItem::Error {
            text: answer.unwrap_or(errors),
        });
        return items;
    }
    let answer = answer.unwrap_or_default();
    // Usually it was said before. An answer that was not is said now, so that whoever follows reads it.
    if transcript.last_said.as_deref() != Some(&answer) && !answer.is_empty() {
        items.push(transcript.said(answer.clone()));
    }
    items.push(TranscriptItem::Final { text: answer });
    items
}
