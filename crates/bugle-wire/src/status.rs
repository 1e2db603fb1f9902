//! The status of a project.

use serde::Serialize;

use crate::run::RunSummary;
use crate::task::CommandView;

/// The status of a project, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusView {
    /// The name of the project.
    pub project: String,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// What needs the user's attention, each with a command.
    pub attention: Vec<CommandView>,
    /// What needs the user in other projects.
    pub elsewhere: Vec<CommandView>,
    /// The open runs, the latest change first.
    pub runs: Vec<RunSummary>,
    /// How many more open runs there are.
    pub more_runs: u64,
    /// The plans with open tasks.
    pub plans: Vec<PlanProgress>,
    /// The next task, in a sentence.
    pub task: Option<String>,
    /// The agents that are working or failed.
    pub agents: Vec<AgentStatusView>,
    /// What to do next.
    pub next: Vec<CommandView>,
}

/// The progress of a plan.
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
    /// Its address as seen from here.
    pub name: String,
    /// Its status.
    pub status: String,
    /// Its task.
    pub task: Option<String>,
}
