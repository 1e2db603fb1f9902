//! What Gemini CLI prints with `-o stream-json`.

use serde_json::Value;

use super::{Transcript, TranscriptItem, input, number, text, words};

pub(super) fn read(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    let kind = text(value, "type");
    if kind == Some("message") {
        // What the agent says comes in pieces, and is whole when something else comes.
        if text(value, "role") == Some("assistant") {
            let piece = text(value, "content").unwrap_or_default();
            transcript.piece.get_or_insert_default().push_str(piece);
        }
        return Vec::new();
    }
    let mut items = transcript.rest();
    match kind {
        Some("init") => items.extend(transcript.session(text(value, "session_id"))),
        Some("tool_use") => items.push(TranscriptItem::ToolUsed {
            tool: text(value, "tool_name").unwrap_or_default().to_owned(),
            input: input(&value["parameters"]),
        }),
        Some("tool_result") => {
            let failed = text(value, "status") == Some("error");
            let output = words(&value["output"]);
            items.push(TranscriptItem::ToolResult {
                output: if failed && output.is_empty() {
                    words(&value["error"]["message"])
                } else {
                    output
                },
                failed,
            });
        }
        Some("error") if text(value, "severity") != Some("warning") => items.push(TranscriptItem::Error {
            text: words(&value["message"]),
        }),
        Some("result") => {
            items.push(TranscriptItem::Cost {
                tokens: number(&value["stats"], "total_tokens"),
                cost: 0,
            });
            if text(value, "status") == Some("success") {
                items.extend(transcript.answered());
            } else {
                items.push(TranscriptItem::Error {
                    text: words(&value["error"]["message"]),
                });
            }
        }
        _ => {}
    }
    items
}
