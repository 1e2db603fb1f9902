//! Messages: post, ask, answer, and read.

mod channels;
mod delivery;
mod inbox;
mod list;
mod notify;
mod recipients;
mod send;
mod unread;

pub use channels::ChannelName;
pub(crate) use channels::{channel_home, person_in};
pub(crate) use delivery::{inform, post_from_bugle};
pub use inbox::{InboxRequest, inbox, mark_read_up_to};
pub(crate) use list::view;
pub use list::{channel, message, messages};
pub(crate) use notify::notify;
pub(crate) use send::notify_user;
pub use send::{MAX_MESSAGE_BYTES, answer, ask, say, say_in, say_on};

pub use unread::{mark_read, take_messages, unread_messages};

use bugle_core::message::AgentAddress;
use bugle_store::ProjectId;

/// The unread messages in a reply. [`mark_read`] marks these messages as read once the reply has been written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "the messages stay unread until the receipt is passed to `mark_read`"]
pub struct Receipt {
    pub(crate) project: ProjectId,
    pub(crate) agent: AgentAddress,
    pub(crate) up_to: u64,
}

/// A message filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRequest {
    /// Messages to this agent.
    pub to: Option<String>,
    /// Messages from this agent.
    pub from: Option<String>,
    /// Messages in this branch's channel.
    pub branch: Option<String>,
    /// Maximum number of messages; the query returns the latest.
    pub last: u32,
}
