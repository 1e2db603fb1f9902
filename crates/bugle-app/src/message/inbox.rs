//! The inbox: what somebody has not read first, and what they read before if that is asked for.

use bugle_core::message::AgentAddress;
use bugle_store::{MessageFilter, MessageStore as _};
use bugle_wire::InboxView;

use super::{home, view};
use crate::{App, AppError};

/// What of an inbox is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxRequest {
    /// Whose; that of whoever acts if not said.
    pub whose: Option<String>,
    /// Only what this agent said.
    pub from: Option<String>,
    /// What was read before, too.
    pub all: bool,
    /// How many of each at most: the last ones.
    pub last: Option<u32>,
}

/// How many messages are shown if nobody says how many.
const USUAL: u32 = 50;

impl App {
    /// What the person who looks after this project was told counts as read, up to a place in their mailbox.
    pub fn have_read(&mut self, up_to: u64) -> Result<(), AppError> {
        if let Some(project) = self.project()? {
            let person = AgentAddress::human(&home(&self.place));
            self.store.take(&project, &person, up_to, crate::now())?;
        }
        Ok(())
    }

    /// What somebody was told. One's own unread messages are read with this, the oldest first; whoever looks into
    /// another's inbox, or at a part of one, takes nothing out of it.
    pub fn inbox(&mut self, request: &InboxRequest) -> Result<InboxView, AppError> {
        let whole = request.from.is_none() && request.last.is_none();
        let me = self.me(request.whose.as_deref())?;
        let from = self.addressed(request.from.as_deref())?;
        let mut inbox = InboxView {
            whose: me.address.to_string(),
            whose_here: me.address.seen_from(&me.home),
            unread: Vec::new(),
            more_unread: 0,
            taken: false,
            read: Vec::new(),
            earlier: false,
        };
        let Some(project) = me.project.clone() else {
            return Ok(inbox);
        };
        let last = request.last.unwrap_or(USUAL);
        if request.all {
            let mut read = self.store.messages(
                &project,
                &MessageFilter {
                    to: Some(&me.address),
                    from: from.as_ref(),
                    branch: None,
                    taken: Some(true),
                    last: last.saturating_add(1),
                },
            )?;
            let surplus = read.len().saturating_sub(last as usize);
            read.drain(..surplus);
            inbox.earlier = surplus > 0;
            inbox.read = read.iter().map(|row| view(row, &me.home)).collect();
        }
        if whole {
            let own = request.whose.is_none();
            let unread = self.unread_messages(request.whose.as_deref(), own)?;
            inbox.taken = own && !unread.messages.is_empty();
            inbox.more_unread = unread.more_unread;
            inbox.unread = unread.messages;
        } else {
            let unread = self.store.messages(
                &project,
                &MessageFilter {
                    to: Some(&me.address),
                    from: from.as_ref(),
                    branch: None,
                    taken: Some(false),
                    last,
                },
            )?;
            inbox.unread = unread.iter().map(|row| view(row, &me.home)).collect();
        }
        Ok(inbox)
    }
}
