//! Agent rows: identity, state, process and spending.
//!
//! An agent is bound to its session and keeps its name when the session moves to another folder or branch. Callers
//! read and change an agent inside one [`crate::Store::transaction`].

mod queries;
mod supervised;
mod take_over;

pub use supervised::SupervisedRow;

use bugle_core::agent::{Access, AgentState, Spent};
use bugle_core::id::{MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::AgentAddress;
use bugle_core::role::AgentRole;

use crate::machine_id::MachineId;
use crate::{ProjectId, Scope};

/// An operating system process. Pids are reused, so the start time is part of its identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessId {
    /// The pid.
    pub pid: u32,
    /// The start time, in a unit that depends on the operating system.
    pub started: i64,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// The agent's project.
    pub project: ProjectId,
    /// The agent's address.
    pub address: AgentAddress,
    /// The agent's client, if known.
    pub client: Option<String>,
    /// The agent's role, if it has one.
    pub role: Option<AgentRole>,
    /// The most access that the agent's starter allowed; `None` if the client's settings decide.
    pub access: Option<Access>,
    /// The agent's session; `None` until the client reports it.
    pub session: Option<SessionId>,
    /// The agent's state.
    pub state: AgentState,
    /// The agent's open question, while the agent is waiting for the answer.
    pub question: Option<MessageId>,
    /// The task that the agent was started with.
    pub task: Option<String>,
    /// The run that the agent is working for.
    pub run: Option<RunId>,
    /// The agent or user that started this agent.
    pub started_by: Option<AgentAddress>,
    /// The machine of the agent's session, process and folder. Empty for an agent that is only a name: any machine can
    /// act as that agent.
    pub machine: MachineId,
    /// The agent's working folder.
    pub directory: String,
    /// The agent's process, while the process runs under the supervisor.
    pub process: Option<ProcessId>,
    /// The exit code of the agent's last process, or the negated signal number.
    pub exit_code: Option<i32>,
    /// The agent's log file.
    pub log: Option<String>,
    /// Number of restarts after crashes.
    pub recoveries: u32,
    /// The agent's spending. The number of agents is not stored; queries count it.
    pub spent: Spent,
    /// The agent's current address after a rename: messages are forwarded there.
    pub renamed: Option<AgentAddress>,
    /// When the agent was first seen.
    pub created_at: Timestamp,
    /// When the agent's state last changed.
    pub changed_at: Timestamp,
}

impl AgentRow {
    /// A new agent with only an address and a folder.
    pub fn new(project: ProjectId, address: AgentAddress, directory: String, now: Timestamp) -> Self {
        Self {
            project,
            address,
            client: None,
            role: None,
            access: None,
            session: None,
            state: AgentState::new(false),
            question: None,
            task: None,
            run: None,
            started_by: None,
            machine: MachineId::default(),
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

impl AgentRow {
    /// The scope of the agent's own runs; `None` before it has a session.
    pub fn runs(&self) -> Option<Scope> {
        let session = self.session.clone()?;
        Some(if self.machine == MachineId::default() {
            Scope::Session(session)
        } else {
            Scope::SessionOn(session, self.machine.clone())
        })
    }
}

/// An unordered pair of agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    first: String,
    second: String,
}

impl Pair {
    /// The pair of these two agents, in either order.
    pub fn of(one: (&ProjectId, &AgentAddress), other: (&ProjectId, &AgentAddress)) -> Self {
        let (one, other) = (Self::party(one.0, one.1), Self::party(other.0, other.1));
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

    /// An agent's key in a pair. It contains the project id, because two projects may have the same name.
    pub(crate) fn party(project: &ProjectId, agent: &AgentAddress) -> String {
        format!("{} {agent}", project.0)
    }
}
