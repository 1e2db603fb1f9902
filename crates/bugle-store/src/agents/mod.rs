//! Agents in the store: who they are, how they stand, and what whoever starts and watches them has to remember.
//!
//! An agent belongs to its session and keeps its name whatever folder or branch the session moves to. Everything that
//! reads an agent and then changes it does so inside [`crate::TaskStore::together`], so that nobody comes between.

mod statements;

use bugle_core::agent::{Exchange, Spent, Standing};
use bugle_core::id::{MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::AgentAddress;
use bugle_core::role::AgentRole;

use crate::StoreError;
use crate::store::ProjectId;

/// A process of the system. Numbers are used again, so the number alone does not tell which process it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessId {
    /// The system's number of it.
    pub pid: u32,
    /// When the system started it, in the system's own measure.
    pub started: i64,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// The project whose agent it is.
    pub project: ProjectId,
    /// What it is called.
    pub address: AgentAddress,
    /// Which client it runs in, if that is known.
    pub client: Option<String>,
    /// Its role, if it was given one.
    pub role: Option<AgentRole>,
    /// The client's session; none before the client has said it.
    pub session: Option<SessionId>,
    /// How it stands.
    pub standing: Standing,
    /// The message in which it asked what it waits for.
    pub question: Option<MessageId>,
    /// What it was started for, word for word.
    pub task: Option<String>,
    /// The run on whose account it works.
    pub run: Option<RunId>,
    /// Who started it.
    pub started_by: Option<AgentAddress>,
    /// The folder it works in.
    pub directory: String,
    /// Its process, while the supervisor has one for it.
    pub process: Option<ProcessId>,
    /// How its last process ended: its exit code, or minus the signal's number.
    pub exit_code: Option<i32>,
    /// The file with what its processes print.
    pub log: Option<String>,
    /// How often it was recovered after it died at work.
    pub recoveries: u32,
    /// What it has spent. How many agents it started is counted, whatever is written here.
    pub spent: Spent,
    /// What it is called now, if it was given another name: whoever writes to this one means that one.
    pub renamed: Option<AgentAddress>,
    /// When it was first heard of.
    pub created_at: Timestamp,
    /// When its status last changed.
    pub changed_at: Timestamp,
}

impl AgentRow {
    /// An agent of which nothing more is known.
    pub fn new(project: ProjectId, address: AgentAddress, directory: String, now: Timestamp) -> Self {
        Self {
            project,
            address,
            client: None,
            role: None,
            session: None,
            standing: Standing::new(false),
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

/// What Bugle needs of a store for agents.
pub trait AgentStore {
    /// An agent by its address.
    fn agent(&mut self, project: &ProjectId, address: &AgentAddress) -> Result<Option<AgentRow>, StoreError>;
    /// The agent that a session belongs to.
    fn agent_of_session(&mut self, session: &SessionId) -> Result<Option<AgentRow>, StoreError>;
    /// The agent that waits for the answer to a question.
    fn agent_asking(&mut self, question: &MessageId) -> Result<Option<AgentRow>, StoreError>;
    /// The agents of a project, or of all, by project, branch and name; those with another name now left out.
    fn agents(&mut self, project: Option<&ProjectId>) -> Result<Vec<AgentRow>, StoreError>;
    /// Keeps a new agent. False if its name or session is taken; then nothing was written.
    fn add_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError>;
    /// Keeps an agent as it is now. False if there is none with its address, or another has its session.
    fn keep_agent(&mut self, agent: &AgentRow) -> Result<bool, StoreError>;
    /// The agents that were spoken to in a way that wakes, and have not read it.
    fn agents_to_wake(&mut self) -> Result<Vec<AgentRow>, StoreError>;
    /// The agents that the supervisor has a process for.
    fn agents_with_process(&mut self) -> Result<Vec<AgentRow>, StoreError>;
    /// What somebody has not taken from one mailbox is delivered to another instead, in the same order.
    fn forward_mail(
        &mut self,
        project: &ProjectId,
        from: &AgentAddress,
        to: &AgentAddress,
        now: Timestamp,
    ) -> Result<(), StoreError>;
    /// What all agents that work on a run's account have spent.
    fn spent_on_run(&mut self, run: &RunId) -> Result<Spent, StoreError>;
    /// Whether something is told for the first time; remembers that it was.
    fn is_news(&mut self, project: &ProjectId, what: &str, now: Timestamp) -> Result<bool, StoreError>;
    /// How two agents have spoken to each other lately, and since when that is counted.
    fn exchange(&mut self, pair: &Pair) -> Result<(Exchange, Timestamp), StoreError>;
    /// Keeps how two agents have spoken to each other.
    fn keep_exchange(&mut self, pair: &Pair, exchange: &Exchange, since: Timestamp)
    -> Result<(), StoreError>;
    /// A person has spoken to an agent: how it spoke with others is forgotten.
    fn forget_exchanges(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<(), StoreError>;
    /// Whether a run or task got on through one of these sessions since then.
    fn got_on(
        &mut self,
        project: &ProjectId,
        sessions: &[SessionId],
        since: Timestamp,
    ) -> Result<bool, StoreError>;
}

/// Two agents, whichever of them speaks.
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

/// An agent as one of two; projects may be called the same.
fn party(project: &ProjectId, agent: &AgentAddress) -> String {
    format!("{} {agent}", project.0)
}
