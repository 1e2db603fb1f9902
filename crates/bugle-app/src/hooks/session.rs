//! The session of a hook call, with its row in the store and its runs.

use bugle_client::hook::{HookCall, HookReply};
use bugle_core::hook::SessionMemory;
use bugle_core::id::SessionId;
use bugle_store::{RunRow, SessionRow, Store};

use crate::{AppError, Context};

/// The session that identifies a call: the sub-agent's, else the main thread's.
pub(super) fn session_of_call(call: &HookCall, session: &SessionId) -> SessionId {
    match &call.agent {
        Some(agent) => SessionId(format!("{}/{agent}", session.0)),
        None => session.clone(),
    }
}

/// The session's row, or a new one.
pub(super) fn session_row(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    id: &SessionId,
) -> Result<SessionRow, AppError> {
    let known = store.session(id)?;
    let directory = ctx.root.to_string_lossy().into_owned();
    Ok(match known {
        Some(row) => SessionRow {
            directory,
            ended: None,
            seen_at: ctx.now(),
            ..row
        },
        None => SessionRow::new(id.clone(), call.client.as_str(), directory, ctx.now()),
    })
}

pub(super) fn remember(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    change: impl FnOnce(&mut SessionMemory),
) -> Result<HookReply, AppError> {
    change_session(store, ctx, call, session, |row| change(&mut row.memory))
}

/// Changes a session's row. The reply is empty.
pub(super) fn change_session(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    change: impl FnOnce(&mut SessionRow),
) -> Result<HookReply, AppError> {
    let mut row = session_row(store, ctx, call, session)?;
    change(&mut row);
    store.keep_session(&row)?;
    Ok(HookReply::default())
}

/// The latest run that a session's main thread works on.
pub(super) fn main_run(store: &mut Store, session: &SessionId) -> Result<Option<RunRow>, AppError> {
    Ok(store.main_runs(session)?.into_iter().next())
}

/// The runs that the calling agent works on, latest first: the sub-agent's own runs, else the main thread's.
pub(super) fn runs_of_call(
    store: &mut Store,
    call: &HookCall,
    session: &SessionId,
) -> Result<Vec<RunRow>, AppError> {
    Ok(match &call.agent {
        Some(agent) => store.subagent_runs(session, agent)?,
        None => store.main_runs(session)?,
    })
}
