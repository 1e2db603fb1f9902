//! Messages between agents and people.

use serde::Serialize;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SaidMessage {
    /// Its id.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Its sender, as `project:branch:name`.
    pub from: String,
    /// The sender's address relative to here: without the parts that are the same.
    pub from_here: String,
    /// Its recipients, as `project:branch:name`; empty if it mentions none.
    pub to: Vec<String>,
    /// The same, relative to here.
    pub to_here: Vec<String>,
    /// The text, word for word.
    pub text: String,
    /// Its kind.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<String>,
    /// Whether it is an unanswered question.
    pub open: bool,
}

text_enum! {
    /// The kind of a message.
    MessageKind {
        /// A statement.
        Say = "say",
        /// A question; the sender is waiting for the answer.
        Ask = "ask",
        /// The answer to a question.
        Answer = "answer",
    }
}

/// The reply to a posted message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SaidView {
    /// The message.
    pub message: SaidMessage,
    /// Recipients that never sent or received a message before, relative to here.
    pub unheard_of: Vec<String>,
    /// Known names that are similar to them.
    pub near: Vec<String>,
    /// Mentions that look like code and are not a known name; nothing was sent to them.
    pub taken_for_code: Vec<String>,
    /// Why a recipient cannot be woken, and what to do about it.
    pub notice: Option<String>,
}

/// The messages to one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InboxView {
    /// The owner of the inbox, as `project:branch:name`.
    pub whose: String,
    /// The same, relative to here.
    pub whose_here: String,
    /// The unread messages, the oldest first.
    pub unread: Vec<SaidMessage>,
    /// How many more are unread, after these.
    pub more_unread: u64,
    /// Whether these are now marked as read.
    pub taken: bool,
    /// The messages that were read before, the oldest first.
    pub read: Vec<SaidMessage>,
    /// Whether there are earlier messages that match.
    pub earlier: bool,
    /// Open questions that are not among the unread messages, the oldest first.
    pub questions: Vec<OpenQuestion>,
}

/// An open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenQuestion {
    /// The question.
    pub message: SaidMessage,
    /// The command that answers it.
    pub answer_with: String,
}

/// Messages, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageList {
    /// The messages, the oldest first.
    pub messages: Vec<SaidMessage>,
    /// The agent whose unread messages these are, as `project:branch:name`, if only those were requested.
    pub unread_by: Option<String>,
    /// How many more are unread, after these.
    pub more_unread: u64,
    /// Whether there are earlier messages that match.
    pub earlier: bool,
    /// The reader's open questions that are not among the messages, the oldest first.
    pub questions: Vec<OpenQuestion>,
}
