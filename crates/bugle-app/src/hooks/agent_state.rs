//! An agent's state as reported by hooks, and its unread messages.

use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_core::agent::Signal;
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_render::hook_text;
use bugle_store::{AgentRow, ProjectId, Store, Transaction};

use super::session::main_run;
use crate::{AppError, Context, agents, messages};

/// Records that a turn of the main thread begins. Registers the agent if it is not `known`.
pub(super) fn turn_began(
    tx: &mut Transaction<'_>,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    known: Option<&AgentRow>,
) -> Result<(), AppError> {
    let row = match known {
        Some(row) if row.client.is_some() => {
            return agents::send_signal(tx, ctx, row, Signal::TurnBegan);
        }
        // The agent was first known through MCP, which does not say which client calls.
        Some(row) => {
            let named = AgentRow {
                client: Some(call.client.as_str().to_owned()),
                ..row.clone()
            };
            tx.keep_agent(&named)?;
            named
        }
        None => agents::agent_of(tx, ctx, session, Some(call.client.as_str()))?,
    };
    agents::apply_signal(tx, ctx, row, Signal::TurnBegan)?;
    Ok(())
}

/// Records the end of the main thread's turn or session, unless the reply makes the agent continue.
pub(super) fn note_turn_end(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    answer: &HookReply,
) -> Result<(), AppError> {
    match call.event {
        HookEvent::Stop if answer.continue_with.is_none() => {
            agents::signal_session(store, ctx, session, Signal::TurnEnded)
        }
        HookEvent::SessionEnd => {
            let open_work = main_run(store, session)?.is_some();
            agents::signal_session(store, ctx, session, Signal::SessionEnded { open_work })
        }
        _ => Ok(()),
    }
}

/// Whether the session's agent has unread messages.
pub(super) fn has_unread(store: &mut Store, ctx: &Context) -> Result<bool, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(false);
    };
    Ok(!store.unread(&project, &agent, 1)?.rows.is_empty())
}

/// The number of unread messages for the session's agent.
pub(super) fn count_unread(store: &mut Store, ctx: &Context) -> Result<u64, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(0);
    };
    let unread = store.unread(&project, &agent, 1)?;
    Ok(unread.more.saturating_add(unread.rows.len() as u64))
}

/// The mailbox position of the last unread message that wakes the session's agent.
pub(super) fn last_wake_seq(store: &mut Store, ctx: &Context) -> Result<Option<u64>, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(None);
    };
    Ok(store.last_wake_seq(&project, &agent)?)
}

/// The mailbox of the session's agent.
pub(super) fn own_mailbox(
    store: &mut Store,
    ctx: &Context,
) -> Result<Option<(ProjectId, AgentAddress)>, AppError> {
    match agents::me(store, ctx, None) {
        Ok(me) => Ok(me.project.map(|project| (project, me.address))),
        // A session id without a letter yields no name, so the session cannot be addressed.
        Err(AppError::Usage { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sends the person a message about the session's agent, once per event: without a terminal, the client does not show
/// what a hook tells the user.
pub(super) fn tell_person(store: &mut Store, ctx: &Context, text: &str, event: &str) -> Result<(), AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(());
    };
    let home = agent.home();
    let name = agent.seen_from(&home);
    let reply = ctx.command(&["say", &format!("@{name} continue")]);
    let text = hook_text::about_agent(&name, text, &reply);
    let event = format!("{agent} {event}");
    let person = AgentAddress::human(&home);
    messages::notify_user(store, ctx, &project, &person, &text, Some(&event))
}
