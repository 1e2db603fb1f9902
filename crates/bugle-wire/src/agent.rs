//! Agents: all of them in a tree, and one with everything about it.

use serde::Serialize;

use crate::SaidMessage;

/// Agents, by project and branch.
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
    /// What the project is called.
    pub project: String,
    /// Where it is.
    pub place: String,
    /// The branch; `-` if there is none.
    pub branch: String,
    /// Its agents by name.
    pub agents: Vec<AgentSummary>,
}

/// An agent in a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentSummary {
    /// Its address, as `project:branch:name`.
    pub address: String,
    /// Its name.
    pub name: String,
    /// Its status.
    pub status: AgentStatus,
    /// Its client, if that is known.
    pub client: Option<String>,
    /// Its role, if it has one.
    pub role: Option<String>,
    /// What it was started for.
    pub task: Option<String>,
    /// How many messages it has not read.
    pub unread: u64,
    /// When its status last changed, in milliseconds since 1970.
    pub changed_at: i64,
}

text_enum! {
    /// The status of an agent.
    AgentStatus {
        /// It is at work.
        Busy = "busy",
        /// It waits for a message.
        Idle = "idle",
        /// It asked something and waits for the answer.
        Blocked = "blocked",
        /// Its session is over and none of its work is open.
        Complete = "complete",
        /// It died at work, or was ended.
        Failed = "failed",
        /// It is hidden from lists.
        Archived = "archived",
    }
}

/// An agent with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentDetail {
    /// The agent.
    pub agent: AgentSummary,
    /// Its client's session.
    pub session: Option<String>,
    /// The folder it works in.
    pub directory: String,
    /// What it asked and waits for.
    pub question: Option<SaidMessage>,
    /// Its open runs.
    pub runs: Vec<String>,
    /// Who started it, as `project:branch:name`.
    pub started_by: Option<String>,
    /// The number of its process, while it has one that Bugle started.
    pub process: Option<u32>,
    /// How its last process ended: its exit code, or minus the signal's number.
    pub exit_code: Option<i32>,
    /// The file with what its processes print.
    pub log: Option<String>,
    /// How often it was recovered.
    pub recoveries: u32,
    /// How often it was woken.
    pub wakeups: u64,
    /// How many agents it started.
    pub agents_started: u64,
    /// Tokens it used, as far as its client said.
    pub tokens: u64,
    /// Millionths of a dollar it cost, as far as its client said.
    pub cost: u64,
    /// When it was first heard of, in milliseconds since 1970.
    pub created_at: i64,
}
