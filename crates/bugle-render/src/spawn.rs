//! Agents that Bugle starts, and what they did, for people.

use bugle_wire::TranscriptItem;
use bugle_wire::{AgentLogView, SpawnedView, SteeredView};

use crate::text::printable;

/// How many lines of what a tool answered are shown.
const MOST_LINES: usize = 20;
/// How many characters of a line are shown.
const MOST_OF_LINE: usize = 400;

/// An agent that was started and works by itself.
pub fn spawned(view: &SpawnedView) -> String {
    let name = &view.name;
    printable(&format!(
        "{name} is started in {} ({}).\n`bugle agent logs {name} --follow` watches it, `bugle agent result {name}` prints its answer.\n{}",
        view.client,
        view.directory,
        notice(view.notice.as_deref())
    ))
}

/// What was done to an agent.
pub fn steered(view: &SteeredView) -> String {
    printable(&format!(
        "{} is {}.\n{}",
        view.agent,
        view.done,
        notice(view.notice.as_deref())
    ))
}

fn notice(text: Option<&str>) -> String {
    text.map(|text| format!("{text}\n")).unwrap_or_default()
}

/// What an agent did.
pub fn log(view: &AgentLogView) -> String {
    let mut out = String::new();
    if view.earlier {
        out.push_str("Earlier ones are left out; `--tail NUMBER` shows more.\n");
    }
    for item in &view.items {
        out.push_str(&entry(item));
    }
    if view.items.is_empty() {
        out.push_str("Nothing was printed yet.\n");
    }
    out
}

/// One thing that an agent did.
pub fn entry(item: &TranscriptItem) -> String {
    let text = match item {
        TranscriptItem::Turn { wakeup } => format!("---- {wakeup}\n"),
        TranscriptItem::SessionIs { id } => format!("session {id}\n"),
        TranscriptItem::Said { text } => block("", text, usize::MAX),
        TranscriptItem::ToolUsed { tool, input } => block(&format!("> {tool} "), input, MOST_LINES),
        TranscriptItem::ToolResult { output, failed } => {
            block(if *failed { "  failed: " } else { "  " }, output, MOST_LINES)
        }
        TranscriptItem::Cost { tokens, cost } if *cost > 0 => {
            format!(
                "{tokens} tokens, {}.{:04} dollars\n",
                cost / 1_000_000,
                cost % 1_000_000 / 100
            )
        }
        TranscriptItem::Cost { tokens, .. } => format!("{tokens} tokens\n"),
        // It was said already; here it only shows that the turn is over.
        TranscriptItem::Final { .. } => "---- answered\n".to_owned(),
        TranscriptItem::Error { text } => block("! ", text, MOST_LINES),
    };
    printable(&text)
}

/// A text with something before its first line; the others are indented as deep.
fn block(before: &str, text: &str, most: usize) -> String {
    let indent = " ".repeat(before.chars().count());
    let mut out = String::new();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    for (at, line) in lines.iter().take(most).enumerate() {
        out.push_str(if at == 0 { before } else { &indent });
        if most == usize::MAX {
            out.push_str(line);
        } else {
            out.extend(line.chars().take(MOST_OF_LINE));
        }
        out.push('\n');
    }
    if lines.len() > most {
        out.push_str(&format!("{indent}({} more lines)\n", lines.len() - most));
    }
    if lines.is_empty() {
        out.push_str(before.trim_end());
        out.push('\n');
    }
    out
}
