//! Messages, mailboxes and wake-ups.
//!
//! Every agent that sent or received a message has a mailbox. Its messages are numbered from 1 without gaps and read in
//! that order, so the number of unread ones is a difference of two numbers, and finding them costs the same however
//! many were read before.

mod mailbox;
mod queries;
mod wakeups;

pub(crate) use mailbox::forward;
pub(crate) use queries::rows_where;
pub(crate) use wakeups::wakeups_where;

use bugle_core::id::{ContentHash, MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_core::wake::{Budget, WakeReason};

use crate::ProjectId;

/// A message before it is stored.
#[derive(Debug, Clone)]
pub struct NewMessage<'a> {
    /// Its id.
    pub id: &'a MessageId,
    /// The project it is posted in.
    pub project: &'a ProjectId,
    /// The sender.
    pub sender: &'a AgentAddress,
    /// The text.
    pub text: &'a str,
    /// The time.
    pub at: Timestamp,
    /// Its kind.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<&'a MessageId>,
    /// The branch in whose channel it is posted.
    pub branch: &'a str,
    /// The receivers, each once.
    pub to: &'a [Receiver],
}

/// A receiver of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// The receiver's project.
    pub project: ProjectId,
    /// The receiver.
    pub agent: AgentAddress,
    /// Whether the message wakes the receiver; otherwise it waits for the next wake-up.
    pub wakes: bool,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// Its id.
    pub id: MessageId,
    /// Its place among the messages of its project, from 1.
    pub seq: u64,
    /// The sender.
    pub sender: AgentAddress,
    /// The text.
    pub text: String,
    /// The time.
    pub at: Timestamp,
    /// Its kind.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<MessageId>,
    /// The receivers.
    pub to: Vec<AgentAddress>,
    /// Whether it is a question without an answer.
    pub is_open: bool,
}

/// An unread message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadRow {
    /// Its place in the mailbox, from 1.
    pub place: u64,
    /// The message.
    pub message: MessageRow,
}

/// Unread messages of a mailbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// The oldest ones, in order.
    pub rows: Vec<UnreadRow>,
    /// How many more there are.
    pub more: u64,
}

/// A filter for messages: all conditions must hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageFilter<'a> {
    /// Messages to this agent.
    pub to: Option<&'a AgentAddress>,
    /// Messages from this agent.
    pub from: Option<&'a AgentAddress>,
    /// Messages in this branch's channel.
    pub branch: Option<&'a str>,
    /// Messages that the receiver has read, or those that it has not.
    pub taken: Option<bool>,
    /// How many at most, counted from the last.
    pub last: u32,
}

/// A wake-up without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeupRow {
    /// Its id.
    pub id: WakeupId,
    /// The project.
    pub project: ProjectId,
    /// The agent.
    pub agent: String,
    /// The reason.
    pub reason: WakeReason,
    /// The time.
    pub at: Timestamp,
    /// The budget.
    pub budget: Budget,
    /// Its size, in the unit of the budget.
    pub size: u64,
    /// Its parts, as JSON.
    pub parts: String,
    /// The hash of its text.
    pub hash: ContentHash,
}
