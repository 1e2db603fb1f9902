//! Agents: a tree of all agents, and one agent in detail.

use super::agent_host::AgentHost;
use super::message::SaidMessage;
use crate::agent::AgentStatus;
use crate::id::{RunId, Timestamp};
use serde::Serialize;

/// Agents, grouped by project and branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentList {
    /// Every branch that has agents.
    pub branches: Vec<AgentBranch>,
    /// Number of archived agents that are not shown.
    pub archived: usize,
}

/// The agents of one branch of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentBranch {
    /// The name of the project.
    pub project: String,
    /// The project's folder.
    pub place: String,
    /// The branch; `-` if there is none.
    pub branch: String,
    /// The branch's agents by name.
    pub agents: Vec<AgentSummary>,
}

/// A summary of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentSummary {
    /// The agent's address, as `project:branch:name`.
    pub address: String,
    /// The agent's name.
    pub name: String,
    /// The agent's status.
    pub status: AgentStatus,
    /// Whether the agent is idle because its session has ended. The agent still has open work.
    pub session_ended: bool,
    /// The agent's client, if known.
    pub client: Option<String>,
    /// The agent's role, if it has one.
    pub role: Option<String>,
    /// The task that the agent was started for.
    pub task: Option<String>,
    /// The agent's machine, if the agent is on another machine.
    pub host: Option<AgentHost>,
    /// Number of unread messages.
    pub unread: u64,
    /// When the agent's status last changed.
    pub changed_at: Timestamp,
}

/// An agent with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentDetail {
    /// The agent.
    pub agent: AgentSummary,
    /// The client's session.
    pub session: Option<String>,
    /// The agent's working folder.
    pub directory: String,
    /// The agent's open question.
    pub question: Option<SaidMessage>,
    /// The agent's open runs.
    pub runs: Vec<RunId>,
    /// The address of the agent that started this agent, as `project:branch:name`.
    pub started_by: Option<String>,
    /// The process id, while a process that Bugle started is running.
    pub process: Option<u32>,
    /// The exit code of the agent's last process, or the negated number of the signal that killed the process.
    pub exit_code: Option<i32>,
    /// The file with the output of the agent's processes.
    pub log: Option<String>,
    /// Number of recoveries.
    pub recoveries: u32,
    /// Number of wake-ups.
    pub wakeups: u64,
    /// Number of agents that this agent started.
    pub agents_started: u64,
    /// Tokens used, as reported by the client.
    pub tokens: u64,
    /// The cost in millionths of a dollar, as reported by the client.
    pub cost: u64,
    /// When the agent was first seen.
    pub created_at: Timestamp,
}
