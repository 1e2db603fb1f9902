//! Agents: a tree of all agents, and one agent in detail.

use crate::message::SaidMessage;
use crate::words::Word;

shapes! {
    AgentList {
        branches: Vec<AgentBranch>,
        archived: usize,
    }
    AgentBranch {
        project: String,
        place: String,
        branch: String,
        agents: Vec<AgentSummary>,
    }
    AgentSummary {
        address: String,
        name: String,
        status: Word,
        session_ended: bool,
        client: Option<String>,
        role: Option<String>,
        task: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        unread: u64,
        changed_at: i64,
    }
    AgentDetail {
        agent: AgentSummary,
        session: Option<String>,
        directory: String,
        question: Option<SaidMessage>,
        runs: Vec<String>,
        started_by: Option<String>,
        process: Option<u32>,
        exit_code: Option<i32>,
        log: Option<String>,
        recoveries: u32,
        wakeups: u64,
        agents_started: u64,
        tokens: u64,
        cost: u64,
        created_at: i64,
    }
}
