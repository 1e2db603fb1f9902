//! Messages in the store, who they are for and who has got them; and the wake-ups that were given.
//!
//! Every agent that spoke or was spoken to has a mailbox. What is delivered to it is numbered from 1 without gaps, and it
//! is taken in that order: so how many are unread is a difference of two numbers, and finding them costs the same
//! whatever was said before.

mod statements;
mod wakeups;

pub(crate) use statements::{forward, rows_where};
pub(crate) use wakeups::wakeups_where;

use bugle_core::id::{ContentHash, MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_core::wake::{Budget, WakeReason};

use crate::StoreError;
use crate::store::ProjectId;

/// A message that is to be kept.
#[derive(Debug, Clone)]
pub struct NewMessage<'a> {
    /// Its id.
    pub id: &'a MessageId,
    /// The project it is said in.
    pub project: &'a ProjectId,
    /// Who says it.
    pub sender: &'a AgentAddress,
    /// What.
    pub text: &'a str,
    /// When.
    pub at: Timestamp,
    /// What it is.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<&'a MessageId>,
    /// The branch in whose channel it is said.
    pub branch: &'a str,
    /// Who it is for, each once.
    pub to: &'a [Receiver],
}

/// Somebody a message is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// The project that they belong to.
    pub project: ProjectId,
    /// Who.
    pub agent: AgentAddress,
    /// Whether it wakes them; if not, it waits until they wake for another reason.
    pub wakes: bool,
}

/// A message that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its id.
    pub id: MessageId,
    /// Its place among the messages of its project, from 1.
    pub seq: u64,
    /// Who said it.
    pub sender: AgentAddress,
    /// What.
    pub text: String,
    /// When.
    pub at: Timestamp,
    /// What it is.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<MessageId>,
    /// Who it was for.
    pub to: Vec<AgentAddress>,
    /// Whether it asks something that nobody has answered.
    pub is_open: bool,
}

/// A message that somebody has not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadRow {
    /// Its place in the mailbox, from 1.
    pub place: u64,
    /// The message.
    pub message: MessageRow,
}

/// What somebody has not taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// The oldest, in order.
    pub rows: Vec<UnreadRow>,
    /// How many more there are.
    pub more: u64,
}

/// Which messages are wanted. Only those that fit everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageFilter<'a> {
    /// Those for this agent.
    pub to: Option<&'a AgentAddress>,
    /// Those from this agent.
    pub from: Option<&'a AgentAddress>,
    /// Those of this branch's channel.
    pub branch: Option<&'a str>,
    /// Those that the agent they are for has taken, or those that it has not.
    pub taken: Option<bool>,
    /// How many at most: the last ones.
    pub last: u32,
}

/// What is known of a wake-up without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeupRow {
    /// Its id.
    pub id: WakeupId,
    /// The project.
    pub project: ProjectId,
    /// Who it was given to.
    pub agent: String,
    /// Why.
    pub reason: WakeReason,
    /// When.
    pub at: Timestamp,
    /// How large it might be.
    pub budget: Budget,
    /// How large it was, in the unit of the budget.
    pub size: u64,
    /// What it was made of, as JSON.
    pub parts: String,
    /// The hash of its text.
    pub hash: ContentHash,
}

/// What Bugle needs of a store for messages and wake-ups.
pub trait MessageStore {
    /// Keeps a message and delivers it, all or nothing. Nothing if its id is taken; then nothing was written.
    fn post(&mut self, message: &NewMessage<'_>) -> Result<Option<MessageRow>, StoreError>;
    /// The oldest messages that an agent has not taken, and how many more there are.
    fn unread(&mut self, project: &ProjectId, agent: &AgentAddress, limit: u32)
    -> Result<Unread, StoreError>;
    /// Marks everything up to a place in an agent's mailbox as taken; says how many were not before. Together with
    /// [`MessageStore::unread`] in one transaction, nobody else gets the same ones.
    fn take(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        up_to: u64,
        now: Timestamp,
    ) -> Result<u64, StoreError>;
    /// Marks one message in an agent's mailbox as taken, ahead of those before it; false if it was taken or is not there.
    fn take_one(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        message: &MessageId,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
    /// The last messages of a project that fit, in order.
    fn messages(
        &mut self,
        project: &ProjectId,
        filter: &MessageFilter<'_>,
    ) -> Result<Vec<MessageRow>, StoreError>;
    /// The place in an agent's mailbox of the last message that wakes it; nothing if it has taken that.
    fn called_at(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<Option<u64>, StoreError>;
    /// The messages whose id begins so, a few at most.
    fn messages_by_prefix(&mut self, prefix: &str) -> Result<Vec<MessageRow>, StoreError>;
    /// What an agent was asked and nobody has answered, the latest first, a few at most.
    fn open_questions(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
    ) -> Result<Vec<MessageRow>, StoreError>;
    /// Whether an agent was asked this and nobody has answered.
    fn is_asked(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        question: &MessageId,
    ) -> Result<bool, StoreError>;
    /// Marks a question as answered, for everybody who was asked. False if it was before.
    fn close_question(&mut self, question: &MessageId) -> Result<bool, StoreError>;
    /// Everybody of a project who spoke, was spoken to or is an agent, by address, under the name of today.
    fn correspondents(&mut self, project: &ProjectId) -> Result<Vec<AgentAddress>, StoreError>;
    /// The branches of a project on which something was said, by name.
    fn branches(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError>;

    /// Keeps a wake-up with its text. False if its id is taken; then nothing was written.
    fn keep_wakeup(&mut self, wakeup: &WakeupRow, content: &[u8]) -> Result<bool, StoreError>;
    /// The latest wake-ups of a project, or of one agent there, the latest first.
    fn wakeups(
        &mut self,
        project: &ProjectId,
        agent: Option<&str>,
        limit: u32,
    ) -> Result<Vec<WakeupRow>, StoreError>;
    /// The wake-ups whose id begins so, a few at most.
    fn wakeups_by_prefix(&mut self, prefix: &str) -> Result<Vec<WakeupRow>, StoreError>;
    /// The text of a wake-up, as it was kept.
    fn wakeup_content(&mut self, id: &WakeupId) -> Result<Option<Vec<u8>>, StoreError>;
}
