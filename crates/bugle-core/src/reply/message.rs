//! Messages between agents and people.

use super::spawn::SupervisorNotice;
use crate::id::{MessageId, Timestamp};
use crate::message::MessageKind;
use serde::Serialize;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SaidMessage {
    /// The message's id.
    pub id: MessageId,
    /// When the message was sent.
    pub at: Timestamp,
    /// The sender, as `project:branch:name`.
    pub from: String,
    /// The sender's address relative to the reader: without the parts that both share.
    pub from_here: String,
    /// The person for whom the sender acted, as recorded by the server of a shared store.
    pub person: Option<String>,
    /// The recipients, as `project:branch:name`; empty if the message mentions none.
    pub to: Vec<String>,
    /// The recipients' addresses, relative to the reader.
    pub to_here: Vec<String>,
    /// The text, word for word.
    pub text: String,
    /// The message's kind.
    pub kind: MessageKind,
    /// The message that this message answers.
    pub answers: Option<MessageId>,
    /// Whether the message is an unanswered question.
    pub open: bool,
}

/// The reply to a posted message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidView {
    /// The message.
    pub message: SaidMessage,
    /// Recipients that never sent or received a message before, relative to the sender.
    pub unheard_of: Vec<String>,
    /// Known names that are similar to the unknown recipients.
    pub near: Vec<String>,
    /// Mentions that look like code and match no known name. Nothing was sent to these names.
    pub taken_for_code: Vec<String>,
    /// Why a recipient cannot be woken, and what to do about it.
    pub notice: Option<SupervisorNotice>,
}

/// The messages to one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InboxView {
    /// The owner of the inbox, as `project:branch:name`.
    pub whose: String,
    /// The owner's address, relative to the reader.
    pub whose_here: String,
    /// The unread messages, oldest first.
    pub unread: Vec<SaidMessage>,
    /// Number of further unread messages.
    pub more_unread: u64,
    /// Whether the listed messages are now marked as read.
    pub taken: bool,
    /// The messages that were read before, oldest first.
    pub read: Vec<SaidMessage>,
    /// Whether there are earlier matching messages.
    pub earlier: bool,
    /// All open questions to the owner, unread ones included, oldest first.
    pub questions: Vec<OpenQuestion>,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The question.
    pub message: SaidMessage,
    /// The command that answers the question.
    pub answer_with: String,
}

/// A list of messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageList {
    /// The messages, oldest first.
    pub messages: Vec<SaidMessage>,
    /// If only unread messages were requested: the recipient, as `project:branch:name`.
    pub unread_by: Option<String>,
    /// Number of further unread messages.
    pub more_unread: u64,
    /// Whether there are earlier matching messages.
    pub earlier: bool,
    /// All open questions to the reader, oldest first; empty unless the list shows unread messages.
    pub questions: Vec<OpenQuestion>,
}
