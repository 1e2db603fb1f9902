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

    /// Writes an agent's inbox with `say`. Its own unread messages, the oldest first, are marked as read once they are
    /// written. Another agent's inbox, or a part of one, stays as it is.
    pub fn inbox(
        &mut self,
        request: &InboxRequest,
        say: &mut dyn FnMut(&InboxView) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
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
            questions: Vec::new(),
        };
        let Some(project) = me.project.clone() else {
            return say(&inbox);
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
        if whole && request.whose.is_none() {
            let home = me.home.clone();
            let questions = self.questions_to(&me, &bugle_store::Unread::default())?;
            return self.deliver(&me, &mut |unread| {
                let is_unread = |id: &str| unread.rows.iter().any(|row| row.message.id.as_str() == id);
                let open = questions.iter().filter(|open| !is_unread(&open.message.id));
                inbox.questions = open.cloned().collect();
                inbox.unread = unread.rows.iter().map(|row| view(&row.message, &home)).collect();
                inbox.more_unread = unread.more;
                inbox.taken = !inbox.unread.is_empty();
                say(&inbox)
            });
        }
        if whole {
            let (unread, _) = self.unread_messages(request.whose.as_deref())?;
            inbox.more_unread = unread.more_unread;
            inbox.unread = unread.messages;
            inbox.questions = unread.questions;
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
        say(&inbox)
    }
}
