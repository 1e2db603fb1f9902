//! Agents that Bugle starts, as data.

use serde::Serialize;

use crate::TranscriptItem;

/// The prompt of an agent that is started for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptView {
    /// What it is called.
    pub agent: String,
    /// The project.
    pub project: String,
    /// Its role, if it has one.
    pub role: Option<String>,
    /// The brief of the role.
    pub role_text: Option<String>,
    /// The task, word for word.
    pub task: String,
    /// Who started it.
    pub starter: String,
    /// The command that tells them something.
    pub say: String,
    /// The command that asks them something.
    pub ask: String,
}

/// An agent that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpawnedView {
    /// Its address.
    pub agent: String,
    /// What it is called here.
    pub name: String,
    /// Its client.
    pub client: String,
    /// The folder that it works in.
    pub directory: String,
    /// The file with what it prints.
    pub log: String,
    /// What keeps it from being looked after, and what to do about it.
    pub notice: Option<String>,
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLogView {
    /// Its address.
    pub agent: String,
    /// What it did, in order.
    pub items: Vec<TranscriptItem>,
    /// Whether there was more before.
    pub earlier: bool,
}

/// The last answer of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentResultView {
    /// Who.
    pub agent: String,
    /// The answer.
    pub result: String,
}

/// What was done to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SteeredView {
    /// Its address.
    pub agent: String,
    /// What was done, in a word: killed, interrupted, prompted, told.
    pub done: String,
    /// What keeps it from being looked after, and what to do about it.
    pub notice: Option<String>,
}
