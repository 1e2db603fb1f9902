//! Text about the agents that Bugle starts, and their logs.

use bugle_core::count::counted;
use bugle_core::reply::{AgentLogView, SpawnedView, SteeredView, Steering, SupervisorNotice, TranscriptItem};

use crate::agent;
use crate::text::printable;

/// Maximum number of lines shown for a tool's input or output.
const MOST_LINES: usize = 20;
/// Maximum number of characters shown per line.
const MOST_OF_LINE: usize = 400;

/// The reply after an agent was started.
pub fn spawned(view: &SpawnedView) -> String {
    let name = &view.name;
    printable(&format!(
        "Started {name} in {} ({}).\n`bugle agent logs {name} --follow` follows its log; `bugle agent result {name}` prints its \
         answer.\n{}",
        view.client,
        view.directory,
        notice(view.notice.as_ref())
    ))
}

/// The reply after an agent was interrupted, killed or otherwise changed.
pub fn steered(view: &SteeredView) -> String {
    printable(&format!(
        "{} is {}.\n{}",
        view.agent,
        steering(view.done),
        notice(view.notice.as_ref())
    ))
}

fn notice(notice: Option<&SupervisorNotice>) -> String {
    notice.map_or(String::new(), |notice| format!("{}\n", supervisor_notice(notice)))
}

/// The effect of a command on an agent, as the end of a sentence: "killed", "interrupted".
pub fn steering(done: Steering) -> &'static str {
    match done {
        Steering::Killed => "killed",
        Steering::Interrupted => "interrupted",
        Steering::Prompted => "prompted",
        Steering::Queued => "busy; the prompt is queued until the current turn ends",
    }
}

/// The reason that an agent is not woken, and the command that starts a supervisor.
pub fn supervisor_notice(notice: &SupervisorNotice) -> String {
    let (why, start) = match notice {
        SupervisorNotice::NotRunning { start } => ("No supervisor is running".to_owned(), start),
        SupervisorNotice::Sandboxed { start } => (
            "No supervisor is running, and a supervisor in this sandbox cannot start clients".to_owned(),
            start,
        ),
        SupervisorNotice::CannotStart { error, start } => {
            (format!("Cannot start a supervisor: {error}"), start)
        }
        SupervisorNotice::CannotSignIn { error } => return format!("No supervisor is running: {error}."),
        SupervisorNotice::HostGone { agent, host } => {
            return format!("@{agent} is waiting: {}.", agent::host(host));
        }
    };
    format!("{why}. To wake agents, run `{start}`.")
}

/// An agent's log.
pub fn log(view: &AgentLogView) -> String {
    let mut out = String::new();
    if view.earlier {
        out.push_str("Earlier entries are not shown; `--tail NUMBER` shows more.\n");
    }
    for item in &view.items {
        out.push_str(&entry(item));
    }
    if view.items.is_empty() {
        out.push_str("No output yet.\n");
    }
    out
}

/// One entry of an agent's log.
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
                "{}, {}.{:04} dollars\n",
                counted(*tokens, "token"),
                cost / 1_000_000,
                cost % 1_000_000 / 100
            )
        }
        TranscriptItem::Cost { tokens, .. } => format!("{}\n", counted(*tokens, "token")),
        // The text was printed before; this entry only marks the end of the turn.
        TranscriptItem::Final { .. } => "---- answered\n".to_owned(),
        TranscriptItem::Error { text } => block("! ", text, MOST_LINES),
    };
    printable(&text)
}

/// Text with a prefix on its first line; the other lines are indented to match.
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
        out.push_str(&format!(
            "{indent}({})\n",
            counted(lines.len() - most, "more line")
        ));
    }
    if lines.is_empty() {
        out.push_str(before.trim_end());
        out.push('\n');
    }
    out
}
