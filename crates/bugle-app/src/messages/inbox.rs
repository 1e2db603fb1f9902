//! The inbox: unread messages, and earlier ones on request.

use bugle_core::message::AgentAddress;
use bugle_core::reply::InboxView;
use bugle_store::{MessageFilter, Store};

use super::list::{addressed, view};
use super::unread::{deliver, questions_to, unread_messages};
use crate::{AppError, Context, addresses, agents, projects};

/// A request to show an inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxRequest {
    /// The agent's name; the caller if missing.
    pub whose: Option<String>,
    /// Only messages from this agent.
    pub from: Option<String>,
    /// Include messages that the agent has already read.
    pub all: bool,
    /// Maximum number of unread messages to show and, separately, of read messages. Shows the latest ones.
    pub last: Option<u32>,
}

/// Default maximum number of messages shown.
const USUAL: u32 = 50;

/// Marks the user's messages in this project as read, up to a mailbox position.
pub fn mark_read_up_to(store: &mut Store, ctx: &Context, up_to: u64) -> Result<(), AppError> {
    if let Some(project) = projects::project(store, ctx)? {
        let person = AgentAddress::human(&addresses::home(ctx));
        store.take(&project, &person, up_to, ctx.now())?;
    }
    Ok(())
}

/// Writes an agent's inbox with `say`. The caller's unread messages, oldest first, are marked as read once they are
/// written. Another agent's inbox, or part of an inbox, stays unread.
pub fn inbox(
    store: &mut Store,
    ctx: &Context,
    request: &InboxRequest,
    say: &mut dyn FnMut(&InboxView) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let whole = request.from.is_none() && request.last.is_none();
    let me = agents::me(store, ctx, request.whose.as_deref())?;
    let from = addressed(store, ctx, request.from.as_deref())?;
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
        let mut read = store.messages(
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
        inbox.questions = questions_to(store, ctx, &me)?;
        return deliver(store, ctx, &me, &mut |unread| {
            inbox.unread = unread.rows.iter().map(|row| view(&row.message, &home)).collect();
            inbox.more_unread = unread.more;
            inbox.taken = !inbox.unread.is_empty();
            say(&inbox)
        });
    }
    if whole {
        let (unread, _) = unread_messages(store, ctx, request.whose.as_deref())?;
        inbox.more_unread = unread.more_unread;
        inbox.unread = unread.messages;
        inbox.questions = unread.questions;
    } else {
        let unread = store.messages(
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
