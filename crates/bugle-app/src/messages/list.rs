//! Lists of messages.

use bugle_core::id::{BadId, MessageId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::reply::{MessageList, SaidMessage};
use bugle_store::{MessageFilter, MessageRow, ProjectId, Store};

use super::MessageRequest;
use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, addresses, agents, projects};

/// A message with addresses shortened for a reader at `home`.
pub(crate) fn view(row: &MessageRow, home: &Home) -> SaidMessage {
    SaidMessage {
        id: row.id.clone(),
        at: row.at,
        from: row.sender.to_string(),
        from_here: row.sender.seen_from(home),
        person: row.person.clone(),
        to: row.to.iter().map(ToString::to_string).collect(),
        to_here: row.to.iter().map(|to| to.seen_from(home)).collect(),
        text: row.text.clone(),
        kind: row.kind,
        answers: row.answers.clone(),
        open: row.is_open,
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

/// The message with this id or id prefix, to any agent, read or unread.
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

/// The current address of the agent with this name.
pub(super) fn addressed(
    store: &mut Store,
    ctx: &Context,
    name: Option<&str>,
) -> Result<Option<AgentAddress>, AppError> {
    match name {
        Some(name) => agents::me(store, ctx, Some(name)).map(|me| Some(me.address)),
        None => Ok(None),
    }
}

/// The caller's project and home; for an unknown caller, the project and home of the current folder.
pub(super) fn own_project(store: &mut Store, ctx: &Context) -> Result<(Option<ProjectId>, Home), AppError> {
    match agents::me(store, ctx, None) {
        Ok(me) => Ok((me.project, me.home)),
        Err(AppError::Usage { .. }) => Ok((projects::project(store, ctx)?, addresses::home(ctx))),
        Err(error) => Err(error),
    }
}
