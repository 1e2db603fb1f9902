//! Messages: post, ask, answer, and read.

mod channels;
mod delivery;
mod inbox;
mod notify;
mod recipients;
mod send;

pub use channels::ChannelName;
pub(crate) use channels::{channel_home, person_in};
pub(crate) use delivery::post_from_bugle;
pub use inbox::{InboxRequest, inbox, mark_read_up_to};
pub(crate) use notify::notify;
pub(crate) use send::notify_user;
pub use send::{MAX_MESSAGE_BYTES, answer, ask, say, say_in, say_on};

use bugle_core::id::{BadId, MessageId};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{MessageFilter, MessageRow, ProjectId, Store, Unread};
use bugle_wire::{MessageList, OpenQuestion, SaidMessage};

use crate::agents::Me;
use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, addresses, agents, projects, wire};

/// Maximum number of unread messages shown at once.
const MAX_UNREAD: u32 = 50;

/// Size above which a list of messages is written outside the transaction. A pipe without a reader buffers this much.
const MAX_BYTES_IN_TRANSACTION: usize = 32 * 1024;

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

/// A message with addresses shortened for a reader at `home`.
pub(crate) fn view(row: &MessageRow, home: &Home) -> SaidMessage {
    SaidMessage {
        id: row.id.to_string(),
        at: row.at.0,
        from: row.sender.to_string(),
        from_here: row.sender.seen_from(home),
        to: row.to.iter().map(ToString::to_string).collect(),
        to_here: row.to.iter().map(|to| to.seen_from(home)).collect(),
        text: row.text.clone(),
        kind: wire::message_kind(row.kind),
        answers: row.answers.as_ref().map(ToString::to_string),
        open: row.is_open,
    }
}

fn unread_list(unread: &Unread, agent: &AgentAddress, home: &Home) -> MessageList {
    MessageList {
        messages: unread.rows.iter().map(|row| view(&row.message, home)).collect(),
        unread_by: Some(agent.to_string()),
        more_unread: unread.more,
        earlier: false,
        questions: Vec::new(),
    }
}

/// The latest matching messages of this project, in chronological order.
pub fn messages(store: &mut Store, ctx: &Context, request: &MessageRequest) -> Result<MessageList, AppError> {
    let to = addressed(store, ctx, request.to.as_deref())?;
    let from = addressed(store, ctx, request.from.as_deref())?;
    let (project, home) = own_project(store, ctx)?;
    let mut rows = match project {
        Some(project) => {
            let filter = MessageFilter {
                to: to.as_ref(),
                from: from.as_ref(),
                branch: request.branch.as_deref(),
                taken: None,
                // Read one more than is shown, to detect earlier messages.
                last: request.last.saturating_add(1),
            };
            store.messages(&project, &filter)?
        }
        None => Vec::new(),
    };
    let surplus = rows.len().saturating_sub(request.last as usize);
    rows.drain(..surplus);
    Ok(MessageList {
        messages: rows.iter().map(|row| view(row, &home)).collect(),
        unread_by: None,
        more_unread: 0,
        earlier: surplus > 0,
        questions: Vec::new(),
    })
}

/// One message to any agent, read or unread.
pub fn message(store: &mut Store, ctx: &Context, id: &str) -> Result<MessageList, AppError> {
    let id: MessageId = id.parse().map_err(|bad: BadId| AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    })?;
    let (_, home) = own_project(store, ctx)?;
    let row = resolve_prefix(
        store.messages_by_prefix(id.as_str())?,
        id.as_str(),
        ("message", "messages"),
        |row| (row.id.to_string(), row.sender.to_string()),
        format!(
            "`{}` lists the latest messages.",
            ctx.command(&["message", "list"])
        ),
    )?;
    Ok(MessageList {
        messages: vec![view(&row, &home)],
        unread_by: None,
        more_unread: 0,
        earlier: false,
        questions: Vec::new(),
    })
}

/// The latest messages of a branch's channel; by default the caller's branch.
pub fn channel(
    store: &mut Store,
    ctx: &Context,
    branch: Option<&str>,
    last: u32,
) -> Result<MessageList, AppError> {
    let (_, home) = own_project(store, ctx)?;
    messages(
        store,
        ctx,
        &MessageRequest {
            branch: Some(branch.unwrap_or(home.branch()).to_owned()),
            last,
            ..MessageRequest::default()
        },
    )
}

/// An agent's oldest unread messages, and the number of further ones; by default the caller's. The messages stay unread
/// until the receipt is used.
pub fn unread_messages(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
) -> Result<(MessageList, Option<Receipt>), AppError> {
    let me = agents::me(store, ctx, name)?;
    let Some(project) = me.project.clone() else {
        return Ok((unread_list(&Unread::default(), &me.address, &me.home), None));
    };
    let unread = store.unread(&project, &me.address, MAX_UNREAD)?;
    let receipt = unread.rows.last().map(|last| Receipt {
        project,
        agent: me.address.clone(),
        up_to: last.place,
    });
    let mut list = unread_list(&unread, &me.address, &me.home);
    list.questions = questions_to(store, ctx, &me, &unread)?;
    Ok((list, receipt))
}

/// The questions that an agent has read but not answered, oldest first.
pub(super) fn questions_to(
    store: &mut Store,
    ctx: &Context,
    me: &Me,
    unread: &Unread,
) -> Result<Vec<OpenQuestion>, AppError> {
    let Some(project) = &me.project else {
        return Ok(Vec::new());
    };
    let mut questions = store.open_questions(project, &me.address, &[])?;
    questions.retain(|question| unread.rows.iter().all(|row| row.message.id != question.id));
    let open = |question: &MessageRow| OpenQuestion {
        message: view(question, &me.home),
        answer_with: ctx.command(&["answer", question.id.as_str(), "-"]),
    };
    Ok(questions.iter().rev().map(open).collect())
}

/// Writes the unread messages with `say`, then marks them as read. If writing fails, they stay unread.
pub fn take_messages(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
    say: &mut dyn FnMut(&MessageList) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let me = agents::me(store, ctx, name)?;
    let questions = questions_to(store, ctx, &me, &Unread::default())?;
    deliver(store, ctx, &me, &mut |unread| {
        let mut list = unread_list(unread, &me.address, &me.home);
        let is_unread = |id: &str| unread.rows.iter().any(|row| row.message.id.as_str() == id);
        let open = questions.iter().filter(|open| !is_unread(&open.message.id));
        list.questions = open.cloned().collect();
        say(&list)
    })
}

/// Passes an agent's unread messages to `say` and marks them as read, in one transaction: two readers never get the
/// same message, and if writing fails, the messages stay unread. A long list is written before the transaction, because
/// a slow reader would block every other writer; two readers may then see the same list.
fn deliver(
    store: &mut Store,
    ctx: &Context,
    me: &Me,
    say: &mut dyn FnMut(&Unread) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let Some(project) = &me.project else {
        return say(&Unread::default());
    };
    let ahead = store.unread(project, &me.address, MAX_UNREAD)?;
    let Some(last) = ahead.rows.last() else {
        return say(&ahead);
    };
    let now = ctx.now();
    let size: usize = ahead.rows.iter().map(|row| row.message.text.len()).sum();
    if size > MAX_BYTES_IN_TRANSACTION {
        say(&ahead)?;
        store.take(project, &me.address, last.place, now)?;
        return Ok(());
    }
    store.project_transaction(project, |tx| {
        let unread = tx.unread(project, &me.address, MAX_UNREAD)?;
        if let Some(last) = unread.rows.last() {
            tx.take(project, &me.address, last.place, now)?;
        }
        say(&unread)
    })
}

/// Marks a receipt's messages as read.
pub fn mark_read(store: &mut Store, ctx: &Context, receipt: &Receipt) -> Result<(), AppError> {
    store.take(&receipt.project, &receipt.agent, receipt.up_to, ctx.now())?;
    Ok(())
}

/// The current address of the agent with this name.
fn addressed(store: &mut Store, ctx: &Context, name: Option<&str>) -> Result<Option<AgentAddress>, AppError> {
    match name {
        Some(name) => agents::me(store, ctx, Some(name)).map(|me| Some(me.address)),
        None => Ok(None),
    }
}

/// The caller's project and home; for an unknown caller, the project and home of the current folder.
fn own_project(store: &mut Store, ctx: &Context) -> Result<(Option<ProjectId>, Home), AppError> {
    match agents::me(store, ctx, None) {
        Ok(me) => Ok((me.project, me.home)),
        Err(AppError::Usage { .. }) => Ok((projects::project(store, ctx)?, addresses::home(ctx))),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_after_its_folder() {
        for (place, name) in [
            ("/work/shop/.git", "shop"),
            ("/work/shop", "shop"),
            ("/work/shop.git", "shop.git"),
            ("/", ""),
        ] {
            assert_eq!(addresses::project_name(place), name);
        }
    }
}
