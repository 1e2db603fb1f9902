//! Text about agents: the tree, and one agent in detail.

use std::fmt::Write as _;

use bugle_core::agent::AgentStatus;
use bugle_core::count::count_phrase;
use bugle_core::count::counted;
use bugle_core::id::RunId;
use bugle_core::reply::{AgentDetail, AgentHost, AgentList, AgentSummary};

use crate::run::Clock;
use crate::text::printable;

/// The minimum width of an agent's task.
const SHORTEST_TASK: usize = 12;

/// The symbol for an agent's status.
pub fn glyph(status: AgentStatus) -> char {
    match status {
        AgentStatus::Busy => '*',
        AgentStatus::Blocked => '?',
        AgentStatus::Idle => '-',
        AgentStatus::Complete => 'o',
        AgentStatus::Failed => 'x',
        AgentStatus::Archived => '.',
    }
}

/// The agent's status. An idle agent whose session has ended does not receive messages by itself.
fn status(agent: &AgentSummary) -> &'static str {
    if agent.session_ended {
        "ended"
    } else {
        agent.status.as_str()
    }
}

/// A note about the agent's machine.
pub fn host(host: &AgentHost) -> String {
    let name = &host.name;
    match host.silent_seconds {
        Some(seconds) => format!("host {name} not seen for {}", duration(seconds)),
        None => format!("on {name}"),
    }
}

/// A duration in its largest unit.
fn duration(seconds: i64) -> String {
    match seconds {
        ..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// Agents, grouped by project and branch.
pub fn list(view: &AgentList, width: usize) -> String {
    let mut out = String::new();
    if view.branches.is_empty() {
        out.push_str("No agents found. A session becomes an agent when it sends a message or its client calls a hook.\n");
    }
    for branch in &view.branches {
        let _ = writeln!(out, "{}:{}", branch.project, branch.branch);
        let agents = branch.agents.iter();
        let longest = agents.map(|agent| agent.name.chars().count()).max().unwrap_or(0);
        for agent in &branch.agents {
            line(&mut out, agent, longest, width);
        }
    }
    if view.archived > 0 {
        let more = count_phrase(view.archived, "more is", "more are");
        let _ = writeln!(out, "{more} archived; `bugle agent list --all` shows them.");
    }
    printable(&out)
}

fn line(out: &mut String, agent: &AgentSummary, longest: usize, width: usize) {
    let mut text = format!(
        "  {} {:longest$}  {:8}",
        glyph(agent.status),
        agent.name,
        status(agent)
    );
    let about = [&agent.client, &agent.role].into_iter().flatten();
    for word in about {
        let _ = write!(text, "  {word}");
    }
    if let Some(on) = &agent.host {
        let _ = write!(text, "  {}", host(on));
    }
    if agent.unread > 0 {
        let _ = write!(text, "  {} unread", agent.unread);
    }
    if let Some(task) = &agent.task {
        let first = task.lines().next().unwrap_or_default();
        let room = width.saturating_sub(text.chars().count() + 2).max(SHORTEST_TASK);
        let cut: String = first.chars().take(room).collect();
        let _ = write!(text, "  {cut}");
    }
    let _ = writeln!(out, "{}", text.trim_end());
}

/// An agent with its details.
pub fn detail(view: &AgentDetail, clock: Clock<'_>) -> String {
    let agent = &view.agent;
    let mut out = format!("{} {} ({})\n", glyph(agent.status), agent.address, status(agent));
    let mut fact = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(out, "  {name:12} {value}");
        }
    };
    let some = |count: u64| (count > 0).then(|| count.to_string());
    fact("client", agent.client.clone());
    fact("role", agent.role.clone());
    fact("host", agent.host.as_ref().map(host));
    fact("session", view.session.clone());
    fact("folder", Some(view.directory.clone()));
    fact("first seen", Some(clock(view.created_at)));
    fact("status since", Some(clock(agent.changed_at)));
    fact("unread", some(agent.unread));
    fact(
        "open runs",
        (!view.runs.is_empty()).then(|| {
            let runs: Vec<&str> = view.runs.iter().map(RunId::as_str).collect();
            runs.join(", ")
        }),
    );
    fact("started by", view.started_by.clone());
    fact("process", view.process.map(|process| process.to_string()));
    fact("last exit", view.exit_code.map(|code| code.to_string()));
    fact("log", view.log.clone());
    fact("recovered", some(u64::from(view.recoveries)));
    fact("wake-ups", some(view.wakeups));
    fact(
        "started",
        (view.agents_started > 0).then(|| counted(view.agents_started, "agent")),
    );
    fact("tokens", some(view.tokens));
    fact(
        "cost",
        (view.cost > 0).then(|| {
            format!(
                "{}.{:02} dollars",
                view.cost / 1_000_000,
                view.cost % 1_000_000 / 10_000
            )
        }),
    );
    if let Some(question) = &view.question {
        let _ = writeln!(
            out,
            "Asked {} and is waiting for the answer:",
            question.to_here.join(", ")
        );
        indented(&mut out, &question.text);
    }
    if let Some(task) = &agent.task {
        out.push_str("Its task:\n");
        indented(&mut out, task);
    }
    printable(&out)
}

fn indented(out: &mut String, text: &str) {
    for line in text.lines() {
        let _ = writeln!(out, "    {line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_one_unit() {
        for (seconds, text) in [
            (61, "61 s"),
            (600, "10 min"),
            (90_000, "25 h"),
            (864_000, "10 days"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
