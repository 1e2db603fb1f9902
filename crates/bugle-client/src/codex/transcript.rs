//! The output of `codex exec --json`.

use serde_json::Value;

use crate::transcript::{Transcript, input, number, text, words};
use bugle_core::reply::TranscriptItem;

pub(super) fn transcript_items(transcript: &mut Transcript, value: &Value) -> Vec<TranscriptItem> {
    match text(value, "type") {
        Some("thread.started") => transcript.session(text(value, "thread_id")).into_iter().collect(),
        Some("item.started") => used(&value["item"]).into_iter().collect(),
        Some("item.completed") => completed(transcript, &value["item"]).into_iter().collect(),
        Some("turn.completed") => {
            let usage = &value["usage"];
            let mut items = vec![TranscriptItem::Cost {
                tokens: number(usage, "input_tokens") + number(usage, "output_tokens"),
                cost: 0,
            }];
            items.extend(transcript.answered());
            items
        }
        Some("turn.failed") => vec![TranscriptItem::Error {
            text: words(&value["error"]["message"]),
        }],
        _ => Vec::new(),
    }
}

fn used(item: &Value) -> Option<TranscriptItem> {
    let (tool, with) = match text(item, "type")? {
        "command_execution" => ("shell", input(item)),
        "mcp_tool_call" => (text(item, "tool")?, input(&item["arguments"])),
        _ => return None,
    };
    Some(TranscriptItem::ToolUsed {
        tool: tool.to_owned(),
        input: with,
    })
}

fn completed(transcript: &mut Transcript, item: &Value) -> Option<TranscriptItem> {
    let failed = text(item, "status") == Some("failed");
    match text(item, "type")? {
        "agent_message" => Some(transcript.said(text(item, "text")?.to_owned())),
        "command_execution" => Some(TranscriptItem::ToolResult {
            output: words(&item["aggregated_output"]),
            failed: failed || item["exit_code"].as_i64().is_some_and(|code| code != 0),
        }),
        "mcp_tool_call" => Some(TranscriptItem::ToolResult {
            output: words(&item["result"]["content"]),
            failed,
        }),
        "file_change" => Some(TranscriptItem::ToolUsed {
            tool: "edit".to_owned(),
            input: changed_files(item),
        }),
        // An error item is only a warning: the turn either continues or fails with a separate event.
        _ => None,
    }
}

fn changed_files(item: &Value) -> String {
    let changes = item["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let files: Vec<&str> = changes.iter().filter_map(|change| text(change, "path")).collect();
    files.join(" ")
}
