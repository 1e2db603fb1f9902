//! What somebody sees who looks on: the channels with their agents, what needs a person, and what goes on in a channel.

use serde::Serialize;

use crate::{AgentSummary, SaidMessage, WakeupSummary};

/// A channel: a branch of a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ChannelName {
    /// What the project is called.
    pub project: String,
    /// Where it is, which tells it from others of the same name.
    pub place: String,
    /// The branch; `-` if there is none.
    pub branch: String,
}

/// All channels, and what needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// The channels: the one that belongs here first, then the others of its project, then those of other projects.
    pub channels: Vec<ChannelView>,
    /// What does not go on without a person: questions first, then runs that stand still, then agents, then
    /// what was not read.
    pub needs: Vec<Need>,
}

/// A channel and who is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelView {
    /// Which.
    pub name: ChannelName,
    /// Its agents by name, without those that were put aside.
    pub agents: Vec<AgentSummary>,
    /// How many were put aside.
    pub archived: usize,
}

/// Why something needs a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// An agent asked the person.
    Question,
    /// A run waits for somebody.
    Decision,
    /// A run was paused.
    Pause,
    /// An agent is blocked, and not by a question to a person.
    Blocked,
    /// An agent failed.
    Failure,
    /// The person was told something and has not read it.
    Unread,
}

/// Something that needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Need {
    /// Why.
    pub kind: NeedKind,
    /// The channel it belongs to.
    pub channel: ChannelName,
    /// The question, the run or the agent.
    pub id: String,
    /// The agent that asks or failed, or the skill of the run; as it is written in the channel.
    pub who: String,
    /// What it is about.
    pub text: String,
    /// The command that shows more.
    pub command: String,
}

/// The latest of what was said and done in a channel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stream {
    /// What, the oldest first.
    pub entries: Vec<StreamEntry>,
    /// Whether there is more before.
    pub earlier: bool,
}

/// Something that was said or done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamEntry {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub what: Happening,
}

/// What can happen in a channel.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// Somebody said something.
    Said(SaidMessage),
    /// A run got on, or stopped.
    Run {
        /// The run.
        run: String,
        /// Its skill.
        skill: String,
        /// Which event of the run.
        seq: u64,
        /// What kind of event.
        kind: String,
        /// What happened, in a line.
        text: String,
    },
    /// An agent was woken.
    Woken(WakeupSummary),
}
