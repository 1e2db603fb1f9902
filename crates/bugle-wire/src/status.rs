//! A project's status.

use serde::Serialize;

use crate::run::RunSummary;
use crate::task::CommandView;

/// A project's status, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusView {
    /// The project's name.
    pub project: String,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// What needs the user's attention, each with a command.
    pub attention: Vec<CommandView>,
    /// What needs the user in other projects.
    pub elsewhere: Vec<CommandView>,
    /// The open runs, latest change first.
    pub runs: Vec<RunSummary>,
    /// How many more open runs there are.
    pub more_runs: u64,
    /// The plans with open tasks.
    pub plans: Vec<PlanProgress>,
    /// The next task, in a sentence.
    pub task: Option<String>,
    /// The agents that are working or have failed.
    pub agents: Vec<AgentStatusView>,
    /// What to do next.
    pub next: Vec<CommandView>,
}

/// A plan's progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanProgress {
    /// Its title.
    pub title: String,
    /// How many tasks are closed.
    pub closed: u32,
    /// How many tasks it has.
    pub tasks: u32,
}

/// An agent and its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentStatusView {
    /// Its address, relative to the reader.
    pub name: String,
    /// Its status.
    pub status: String,
    /// Its task.
    pub task: Option<String>,
}
