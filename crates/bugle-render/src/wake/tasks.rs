//! The tasks as a tree of boxes to tick, with the current one marked.

use bugle_core::digest::Detail;
use bugle_core::wake::{Offer, Part};
use bugle_wire::{TaskLine, TaskView, WakeFacts};

use super::quote::{clipped, code, count, inline, mention, notices, number};
use super::sizes;

const HEADING: &str = "## Current tasks";

/// How many characters of a title or of a reason are shown.
const LONGEST: usize = 160;

pub(super) fn offer(facts: &WakeFacts, program: &str) -> Offer {
    if facts.tasks.is_empty() && facts.total == 0 {
        return sizes::nothing(Part::Tasks);
    }
    let all: Vec<&TaskLine> = facts.tasks.iter().collect();
    let command = code(&list_command(facts, program));
    let told = facts.position.as_ref();
    let told = told.map_or(String::new(), |position| notices(&position.notices));
    let blocks = |shown: &[&TaskLine]| {
        vec![
            HEADING.to_owned(),
            tree(shown),
            rest(facts, shown, &command),
            told.clone(),
        ]
    };
    let path = path(&facts.tasks);
    let mut offered = Vec::new();
    if !all.is_empty() {
        offered.push((Detail::Full, blocks(&all)));
    }
    if !path.is_empty() {
        offered.push((Detail::Digest, blocks(&path)));
    }
    offered.push((Detail::Pointer, blocks(&[])));
    sizes::offer(Part::Tasks, offered)
}

/// The command that shows the tasks: one that the position offers, or that for all of them.
fn list_command(facts: &WakeFacts, program: &str) -> String {
    let offered = facts.position.iter().flat_map(|position| &position.commands);
    let mut offered = offered.map(|command| command.command.as_str());
    let list = offered.find(|command| command.contains(" task list"));
    list.map_or_else(|| format!("{program} task list"), str::to_owned)
}

fn tree(lines: &[&TaskLine]) -> String {
    let lines = lines.iter().map(|line| {
        let indent = "  ".repeat(line.depth as usize);
        let here = if line.current { "  <-- CURRENT" } else { "" };
        let task = &line.task;
        format!(
            "{indent}- {} {} ({}){here}",
            checkbox(&task.state),
            clipped(&task.label, LONGEST),
            remarks(task)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn checkbox(state: &str) -> &'static str {
    match state {
        "done" => "[x]",
        "skipped" => "[-]",
        _ => "[ ]",
    }
}

/// Its id, what there is to say about its state, and whose it is.
fn remarks(task: &TaskView) -> String {
    let mut remarks = vec![inline(&task.id)];
    let reason = task
        .reason
        .as_ref()
        .map(|reason| clipped(reason.trim_end_matches('.'), LONGEST));
    let because = |word: &str| match &reason {
        Some(reason) => format!("{word}: {reason}"),
        None => word.to_owned(),
    };
    if task.ready_to_close {
        remarks.push("ready to close".to_owned());
    }
    match task.state.as_str() {
        "active" => remarks.push("in progress".to_owned()),
        "blocked" if !task.waits_for.is_empty() => {
            let others: Vec<String> = task.waits_for.iter().map(|other| inline(other)).collect();
            remarks.push(format!("blocked: waits for {}", others.join(", ")));
        }
        "blocked" => remarks.push(because("blocked")),
        "failed" => remarks.push(because("failed")),
        "skipped" => remarks.push(because("skipped")),
        _ => {}
    }
    if task.retries > 0 && task.state != "done" {
        remarks.push(format!(
            "tried again {}",
            count(u64::from(task.retries), "time", "times")
        ));
    }
    if let Some(agent) = &task.agent {
        remarks.push(mention(agent));
    }
    remarks.join("; ")
}

/// How many tasks are not shown, and how to see them.
fn rest(facts: &WakeFacts, shown: &[&TaskLine], command: &str) -> String {
    let is_closed = |line: &&&TaskLine| matches!(line.task.state.as_str(), "done" | "skipped");
    let total = u64::from(facts.total).max(number(facts.tasks.len()));
    let hidden = total.saturating_sub(number(shown.len()));
    if hidden == 0 {
        return String::new();
    }
    let closed = u64::from(facts.closed)
        .saturating_sub(number(shown.iter().filter(is_closed).count()))
        .min(hidden);
    let tasks = if shown.is_empty() {
        count(hidden, "task", "tasks")
    } else {
        count(hidden, "other task", "other tasks")
    };
    format!("{tasks} ({closed} closed, {} open): {command}", hidden - closed)
}

/// The current task, what it lies in, and its next sibling.
fn path(lines: &[TaskLine]) -> Vec<&TaskLine> {
    let Some(at) = lines.iter().position(|line| line.current) else {
        return Vec::new();
    };
    let current = &lines[at];
    let mut path = vec![current];
    let mut depth = current.depth;
    for line in lines[..at].iter().rev() {
        if line.depth < depth {
            depth = line.depth;
            path.push(line);
        }
    }
    path.reverse();
    let mut behind = lines[at + 1..].iter();
    let next = behind.find(|line| line.depth <= current.depth);
    path.extend(next.filter(|line| line.depth == current.depth));
    path
}
