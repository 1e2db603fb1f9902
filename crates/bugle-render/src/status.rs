//! A project's status as text.

use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::reply::{CommandView, StatusView};

use crate::run::{Clock, agent_and_purpose};
use crate::text::{printable, wrapped};
use crate::{command_text, task_text};

/// The minimum width of a description next to its command. In less space, the description is below the command.
const MIN_DESCRIPTION: usize = 30;

/// A project's status, with commands for the next actions. `width` is the maximum line width.
pub fn status(view: &StatusView, width: usize, clock: Clock<'_>) -> String {
    let branch = view.branch.as_ref().map(|branch| format!(" on {branch}"));
    let place = if view.is_repository {
        branch.unwrap_or_default()
    } else {
        " (not a git project; this folder itself is the project)".to_owned()
    };
    let mut out = format!("{}{place}\n", view.project);
    push_commands(&mut out, width, "Needs you", &view.attention);
    push_commands(&mut out, width, "Needs you in other projects", &view.elsewhere);
    push_commands(&mut out, width, "Messages", view.messages.as_slice());
    if !view.runs.is_empty() {
        out.push_str("\nRuns\n");
        for run in &view.runs {
            let position = &run.position;
            let _ = writeln!(
                out,
                "  {}  {:<18} {:<18} {:<8} {}{}",
                position.run,
                position.skill,
                position.step.as_deref().unwrap_or("-"),
                position.status,
                clock(run.changed_at),
                agent_and_purpose(run)
            );
        }
        if view.more_runs > 0 {
            let _ = writeln!(out, "  and {} more: bugle run list --open", view.more_runs);
        }
    }
    if !view.plans.is_empty() || view.position.is_some() {
        out.push_str("\nTasks\n");
        for plan in &view.plans {
            let _ = writeln!(
                out,
                "  {}: {} of {} closed",
                plan.title,
                plan.closed,
                counted(plan.tasks, "task")
            );
        }
        if let Some(at) = &view.position {
            let _ = writeln!(out, "  {}", task_text::position(at));
        }
    }
    if !view.agents.is_empty() {
        out.push_str("\nAgents\n");
        for agent in &view.agents {
            let task = agent.task.as_deref().unwrap_or_default();
            let _ = writeln!(out, "  {:<18} {:<8} {task}", agent.name, agent.status);
        }
    }
    let is_empty = view.attention.is_empty()
        && view.messages.is_none()
        && view.runs.is_empty()
        && view.position.is_none();
    if is_empty && view.agents.is_empty() {
        out.push_str("\nNothing is open in this project.\n");
    }
    push_commands(&mut out, width, "Next", &view.next);
    printable(&out)
}

/// Adds a heading with commands and their descriptions below it. A command stays on one line, so that it can be copied.
fn push_commands(out: &mut String, width: usize, heading: &str, lines: &[CommandView]) {
    if lines.is_empty() {
        return;
    }
    let longest = lines.iter().map(|line| line.command.chars().count()).max();
    let column = longest.unwrap_or(0) + 4;
    let beside = width.saturating_sub(column);
    let _ = write!(out, "\n{heading}\n");
    for line in lines {
        let purpose = command_text::purpose(&line.purpose);
        if beside >= MIN_DESCRIPTION {
            let indent = format!("\n{:column$}", "");
            let text = wrapped(&purpose, beside).join(&indent);
            let _ = writeln!(out, "  {:<1$}{text}", line.command, column - 2);
        } else {
            let text = wrapped(&purpose, width.saturating_sub(6)).join("\n      ");
            let _ = writeln!(out, "  {}\n      {text}", line.command);
        }
    }
}
