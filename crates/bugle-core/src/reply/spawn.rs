//! Agents that Bugle starts.

use super::agent_host::AgentHost;
use super::transcript::TranscriptItem;
use serde::Serialize;

/// The prompt for a new agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptView {
    /// The agent's name.
    pub agent: String,
    /// The project.
    pub project: String,
    /// The agent's role, if it has one.
    pub role: Option<String>,
    /// The role's brief.
    pub role_text: Option<String>,
    /// The task, word for word.
    pub task: String,
    /// The agent or user that started this agent.
    pub starter: String,
    /// The command that sends the starter a message.
    pub say: String,
    /// The command that asks the starter a question.
    pub ask: String,
}

/// An agent that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpawnedView {
    /// The agent's address.
    pub agent: String,
    /// The agent's name, relative to the reader.
    pub name: String,
    /// The agent's client.
    pub client: String,
    /// The agent's working folder.
    pub directory: String,
    /// The file with the agent's output.
    pub log: String,
    /// Why no supervisor is watching the agent, and what to do about it.
    pub notice: Option<SupervisorNotice>,
}

/// An agent's log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLogView {
    /// The agent's address.
    pub agent: String,
    /// The log entries, in order.
    pub items: Vec<TranscriptItem>,
    /// Whether there are earlier entries.
    pub earlier: bool,
}

/// An agent's last answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentResultView {
    /// The agent.
    pub agent: String,
    /// The answer.
    pub result: String,
}

/// The result of a command to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SteeredView {
    /// The agent's address.
    pub agent: String,
    /// The effect of the command.
    pub done: Steering,
    /// Why no supervisor is watching the agent, and what to do about it.
    pub notice: Option<SupervisorNotice>,
}

/// The effect of a command on an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steering {
    /// The agent was killed.
    Killed,
    /// The agent was interrupted.
    Interrupted,
    /// The agent has the prompt.
    Prompted,
    /// The agent is busy and gets the prompt after its turn.
    Queued,
}

/// Why an agent is not woken, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SupervisorNotice {
    /// No supervisor is running, and the settings say that the user starts it.
    NotRunning {
        /// The command that starts a supervisor.
        start: String,
    },
    /// No supervisor is running, and this sandbox cannot start clients.
    Sandboxed {
        /// The command that starts a supervisor.
        start: String,
    },
    /// The supervisor did not start.
    CannotStart {
        /// The operating system's error message.
        error: String,
        /// The command that starts a supervisor.
        start: String,
    },
    /// Agents could not open the store, so no supervisor was started.
    CannotSignIn {
        /// Why agents cannot open the store.
        error: String,
    },
    /// The agent's machine has stopped reporting.
    HostGone {
        /// The agent's address.
        agent: String,
        /// The machine.
        host: AgentHost,
    },
}
