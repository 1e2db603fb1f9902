//! Messages, mailboxes and wake-ups.
//!
//! Every agent that sent or received a message has a mailbox. A mailbox's messages are numbered from 1 without gaps
//! and read in that order. Counting unread messages is therefore a subtraction, and finding unread messages does not
//! get slower with the number of read messages.

mod mailbox;
mod queries;
mod rows;
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
    /// The message's id.
    pub id: &'a MessageId,
    /// The project that the message is posted in.
    pub project: &'a ProjectId,
    /// The sender.
    pub sender: &'a AgentAddress,
    /// The text.
    pub text: &'a str,
    /// The time.
    pub at: Timestamp,
    /// The message's kind.
    pub kind: MessageKind,
    /// The message that this message answers.
    pub answers: Option<&'a MessageId>,
    /// The branch whose channel the message is posted in.
    pub branch: &'a str,
    /// The receivers, without duplicates.
    pub to: &'a [Receiver],
}

/// A receiver of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receiver {
    /// The receiver's project.
    pub project: ProjectId,
    /// The receiver.
    pub agent: AgentAddress,
    /// Whether the message wakes the receiver. If not, the receiver sees it at the next wake-up.
    pub wakes: bool,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRow {
    /// The message's id.
    pub id: MessageId,
    /// The message's sequence number in the project, starting at 1.
    pub seq: u64,
    /// The sender.
    pub sender: AgentAddress,
    /// The name of the person for whom the sender acted; `None` in a `SQLite` store.
    pub person: Option<String>,
    /// The text.
    pub text: String,
    /// The time.
    pub at: Timestamp,
    /// The message's kind.
    pub kind: MessageKind,
    /// The message that this message answers.
    pub answers: Option<MessageId>,
    /// The receivers.
    pub to: Vec<AgentAddress>,
    /// Whether the message is an unanswered question.
    pub is_open: bool,
}

/// An unread message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadRow {
    /// The message's sequence number in the mailbox, starting at 1.
    pub place: u64,
    /// The message.
    pub message: MessageRow,
    /// Whether the message is an open question to the mailbox's agent.
    pub asks: bool,
    /// The text of the question that the message answers.
    pub question: Option<String>,
}

/// A mailbox's unread messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// The oldest unread messages, in order.
    pub rows: Vec<UnreadRow>,
    /// Number of further unread messages.
    pub more: u64,
}

/// A message filter: a message must meet all conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MessageFilter<'a> {
    /// Messages to this agent.
    pub to: Option<&'a AgentAddress>,
    /// Messages from this agent.
    pub from: Option<&'a AgentAddress>,
    /// Messages in this branch's channel.
    pub branch: Option<&'a str>,
    /// Messages that the receiver has read (`true`) or has not read (`false`).
    pub taken: Option<bool>,
    /// Maximum number of messages; the newest are kept.
    pub last: u32,
}

/// A wake-up without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WakeupRow {
    /// The wake-up's id.
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
    /// The wake-up's size, in the budget's unit.
    pub size: u64,
    /// The wake-up's parts, as JSON.
    pub parts: String,
    /// The hash of the wake-up's text.
    pub hash: ContentHash,
}
