//! Rows of agents: identity, state, process and spending.
//!
//! An agent belongs to its session and keeps its name when the session moves to another folder or branch. Callers that
//! read an agent and then change it do both inside [`crate::Store::transaction`].

mod queries;
mod supervised;

pub use supervised::SupervisedRow;

use bugle_core::agent::{AgentState, Spent};
use bugle_core::id::{MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::AgentAddress;
use bugle_core::role::AgentRole;

use crate::ProjectId;

/// An operating system process. Pids are reused, so the start time belongs to the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// The start time, in the system's own unit.
    pub started: i64,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// Its project.
    pub project: ProjectId,
    /// Its address.
    pub address: AgentAddress,
    /// Its client, if known.
    pub client: Option<String>,
    /// Its role, if it has one.
    pub role: Option<AgentRole>,
    /// Its session; `None` until the client reports it.
    pub session: Option<SessionId>,
    /// Its state.
    pub state: AgentState,
    /// The question that it waits for.
    pub question: Option<MessageId>,
    /// The task it was started with.
    pub task: Option<String>,
    /// The run that it works for.
    pub run: Option<RunId>,
    /// The agent or user that started it.
    pub started_by: Option<AgentAddress>,
    /// The folder it works in.
    pub directory: String,
    /// Its process, while it runs under the supervisor.
    pub process: Option<ProcessId>,
    /// The exit code of its last process, or the negative number of the signal.
    pub exit_code: Option<i32>,
    /// Its log file.
    pub log: Option<String>,
    /// How often it was restarted after it died.
    pub recoveries: u32,
    /// Its spending. The number of agents is counted on read and not stored.
    pub spent: Spent,
    /// Its current address, if it was renamed: messages go there.
    pub renamed: Option<AgentAddress>,
    /// When it was first seen.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
}

impl AgentRow {
    /// A new agent with nothing but an address.
    pub fn new(project: ProjectId, address: AgentAddress, directory: String, now: Timestamp) -> Self {
        Self {
            project,
            address,
            client: None,
            role: None,
            session: None,
            state: AgentState::new(false),
            question: None,
            task: None,
            run: None,
            started_by: None,
            directory,
            process: None,
            exit_code: None,
            log: None,
            recoveries: 0,
            spent: Spent::default(),
            renamed: None,
            created_at: now,
            changed_at: now,
        }
    }
}

/// An unordered pair of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    first: String,
    second: String,
}

impl Pair {
    /// The pair of these two.
    pub fn of(one: (&ProjectId, &AgentAddress), other: (&ProjectId, &AgentAddress)) -> Self {
        let (one, other) = (party(one.0, one.1), party(other.0, other.1));
        if one <= other {
            Self {
                first: one,
                second: other,
            }
        } else {
            Self {
                first: other,
                second: one,
            }
        }
    }
}

/// The key of an agent in a pair: two projects may have the same name.
fn party(project: &ProjectId, agent: &AgentAddress) -> String {
    format!("{} {agent}", project.0)
}
