//! Agents: a tree of all agents, and one agent in detail.

use serde::Serialize;

use crate::SaidMessage;

/// Agents, grouped by project and branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentList {
    /// Every branch that has agents.
    pub branches: Vec<AgentBranch>,
    /// How many archived agents are not shown.
    pub archived: usize,
}

/// The agents of one branch of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentBranch {
    /// The name of the project.
    pub project: String,
    /// Its folder.
    pub place: String,
    /// The branch; `-` if there is none.
    pub branch: String,
    /// Its agents by name.
    pub agents: Vec<AgentSummary>,
}

/// A summary of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentSummary {
    /// Its address, as `project:branch:name`.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Its status.
    pub status: AgentStatus,
    /// Its client, if known.
    pub client: Option<String>,
    /// Its role, if it has one.
    pub role: Option<String>,
    /// The task it was started for.
    pub task: Option<String>,
    /// How many unread messages it has.
    pub unread: u64,
    /// When its status last changed, in milliseconds since 1970.
    pub changed_at: i64,
}

text_enum! {
    /// The status of an agent.
    AgentStatus {
        /// It is working.
        Busy = "busy",
        /// It is waiting for a message.
        Idle = "idle",
        /// It asked a question and is waiting for the answer.
        Blocked = "blocked",
        /// Its session has ended and none of its work is open.
        Complete = "complete",
        /// It died while working, or was killed.
        Failed = "failed",
        /// It is hidden from lists.
        Archived = "archived",
    }
}

/// An agent with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentDetail {
    /// The agent.
    pub agent: AgentSummary,
    /// Its client's session.
    pub session: Option<String>,
    /// The folder it works in.
    pub directory: String,
    /// Its open question.
    pub question: Option<SaidMessage>,
    /// Its open runs.
    pub runs: Vec<String>,
    /// The agent that started it, as `project:branch:name`.
    pub started_by: Option<String>,
    /// The id of its process, while a process that Bugle started is running.
    pub process: Option<u32>,
    /// The exit code of its last process, or the negated number of the signal that ended it.
    pub exit_code: Option<i32>,
    /// The file with its processes' output.
    pub log: Option<String>,
    /// How often it was recovered.
    pub recoveries: u32,
    /// How often it was woken.
    pub wakeups: u64,
    /// How many agents it started.
    pub agents_started: u64,
    /// Tokens it used, as reported by its client.
    pub tokens: u64,
    /// Its cost in millionths of a dollar, as reported by its client.
    pub cost: u64,
    /// When it was first seen, in milliseconds since 1970.
    pub created_at: i64,
}
