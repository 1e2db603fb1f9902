//! What agents and people say to each other.

use serde::Serialize;

/// A message that was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SaidMessage {
    /// Its id.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who said it, as `project:branch:name`.
    pub from: String,
    /// The sender as it is written here: what is the same as here is left out.
    pub from_here: String,
    /// Its addressees, as `project:branch:name`; empty if it mentions no one.
    pub to: Vec<String>,
    /// The same as it is written here.
    pub to_here: Vec<String>,
    /// What was said, word for word.
    pub text: String,
    /// What it is.
    pub kind: MessageKind,
    /// The message that it answers.
    pub answers: Option<String>,
    /// Whether it asks something that is still unanswered.
    pub open: bool,
}

text_enum! {
    /// What a message is.
    MessageKind {
        /// A statement.
        Say = "say",
        /// A question; the sender waits for the answer.
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
    /// Addressees that never sent or received a message before, as written here.
    pub unheard_of: Vec<String>,
    /// Those who may have been meant by them.
    pub near: Vec<String>,
    /// Mentions that are no known name and look like code: they received nothing.
    pub taken_for_code: Vec<String>,
    /// What keeps an addressee from being woken, and what to do about it.
    pub notice: Option<String>,
}

/// The messages to one address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InboxView {
    /// Whose inbox it is, as `project:branch:name`.
    pub whose: String,
    /// The same as it is written here.
    pub whose_here: String,
    /// What was not read, the oldest first.
    pub unread: Vec<SaidMessage>,
    /// How many more are unread, behind these.
    pub more_unread: u64,
    /// Whether these count as read from now on.
    pub taken: bool,
    /// What was read before, the oldest first.
    pub read: Vec<SaidMessage>,
    /// Whether more was read before that fits.
    pub earlier: bool,
    /// What still waits for an answer and is not among the unread, the oldest first.
    pub questions: Vec<OpenQuestion>,
}

/// A question that waits for an answer.
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
    /// Whose unread messages these are, as `project:branch:name`, if only those were asked for.
    pub unread_by: Option<String>,
    /// How many more are unread, behind these.
    pub more_unread: u64,
    /// Whether there are earlier ones that fit.
    pub earlier: bool,
    /// What still waits for the reader's answer and is not among the messages, the oldest first.
    pub questions: Vec<OpenQuestion>,
}
