//! A project's status.

use super::next_command::CommandView;
use super::run::RunSummary;
use super::task::TaskPosition;

/// A project's status, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusView {
    /// The project's name.
    pub project: String,
    /// The checked-out branch.
    pub branch: Option<String>,
    /// Whether the project is a git repository. Otherwise, the current folder is the project.
    pub is_repository: bool,
    /// Items that need the user's attention, each with a command.
    pub attention: Vec<CommandView>,
    /// Items in other projects that need the user's attention.
    pub elsewhere: Vec<CommandView>,
    /// An agent's unread messages, with the command that shows them. `None` if there are none, or for the user, whose
    /// messages are listed under `attention`.
    pub messages: Option<CommandView>,
    /// The open runs, latest change first.
    pub runs: Vec<RunSummary>,
    /// Number of further open runs.
    pub more_runs: u64,
    /// The plans with open tasks.
    pub plans: Vec<PlanProgress>,
    /// The next task.
    pub position: Option<TaskPosition>,
    /// The agents that are working or have failed.
    pub agents: Vec<AgentStatusView>,
    /// What to do next.
    pub next: Vec<CommandView>,
}

/// A plan's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanProgress {
    /// The plan's title.
    pub title: String,
    /// Number of closed tasks.
    pub closed: u32,
    /// Number of tasks.
    pub tasks: u32,
}

/// An agent and its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStatusView {
    /// The agent's address, relative to the reader.
    pub name: String,
    /// The agent's status.
    pub status: String,
    /// The agent's task.
    pub task: Option<String>,
}
