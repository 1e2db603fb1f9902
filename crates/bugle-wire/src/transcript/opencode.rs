//! What opencode prints with `run --format json`.

use serde_json::Value;

use super::{Transcript, TranscriptItem, input, millionths, number, text, words};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let mut items: Vec<TranscriptItem> = transcript.session(text(value, "sessionID")).into_iter().collect();
    let part = &value["part"];
    match text(value, "type") {
        Some("text") => items.extend(text(part, "text").map(|text| transcript.said(text.to_owned()))),
        Some("tool_use") => {
            let state = &part["state"];
            let failed = text(state, "status") == Some("error");
            items.push(TranscriptItem::ToolUsed {
                tool: text(part, "tool").unwrap_or_default().to_owned(),
                input: input(&state["input"]),
            });
            items.push(TranscriptItem::ToolResult {
                output: words(&state[if failed { "error" } else { "output" }]),
                failed,
            });
        }
        Some("step_finish") => {
            items.push(TranscriptItem::Cost {
                tokens: number(&part["tokens"], "total"),
                cost: millionths(part.get("cost")),
            });
            if text(part, "reason") == Some("stop") {
                items.extend(transcript.answered());
            }
        }
        Some("error") => items.push(TranscriptItem::Error {
            text: words(value["error"]["data"].get("message").unwrap_or(&value["error"])),
        }),
        _ => {}
    }
    items
}
