//! The state of an agent as its hooks report it, and its unread messages.

use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_core::agent::Signal;
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_store::{ProjectId, Store};

use crate::hooks::main_run;
use crate::{AppError, Context, agents};

/// A turn of the main thread begins. A new agent is added.
pub(super) fn turn_began(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<(), AppError> {
    store.transaction(|tx| {
        let row = agents::agent_of(tx, ctx, session, Some(call.client.as_str()))?;
        agents::apply_signal(tx, ctx, row, Signal::TurnBegan)?;
        Ok(())
    })
}

/// Records the end of a turn or session of the main thread, unless the reply continues it.
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

/// Whether the agent here has unread messages.
pub(super) fn has_unread(store: &mut Store, ctx: &Context) -> Result<bool, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(false);
    };
    Ok(!store.unread(&project, &agent, 1)?.rows.is_empty())
}

/// How many messages the agent here has not read.
pub(super) fn count_unread(store: &mut Store, ctx: &Context) -> Result<u64, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(0);
    };
    let unread = store.unread(&project, &agent, 1)?;
    Ok(unread.more.saturating_add(unread.rows.len() as u64))
}

/// The number of the last unread message that wakes the agent here.
pub(super) fn last_wake_seq(store: &mut Store, ctx: &Context) -> Result<Option<u64>, AppError> {
    let Some((project, agent)) = own_mailbox(store, ctx)? else {
        return Ok(None);
    };
    Ok(store.last_wake_seq(&project, &agent)?)
}

/// The mailbox of the agent here.
pub(super) fn own_mailbox(
    store: &mut Store,
    ctx: &Context,
) -> Result<Option<(ProjectId, AgentAddress)>, AppError> {
    match agents::me(store, ctx, None) {
        Ok(me) => Ok(me.project.map(|project| (project, me.address))),
        // A session whose id has no letter has no name, and cannot be addressed.
        Err(AppError::Usage { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
