//! Sub-agents in the background: the orchestrator may end its turn while they work, and no work is given out twice.

use bugle_client::hook::{HookCall, HookReply};
use bugle_core::hook::tokens_named;
use bugle_core::id::{ChildToken, SessionId};
use bugle_core::tool::Tool;
use bugle_render::hook_text;
use bugle_store::Store;

use super::session::session_row;
use crate::{AppError, Context};

/// Whether sub-agents of the stopping main thread are at work in the background. The client starts the main thread's
/// next turn when one of them has finished.
pub(super) fn has_helpers(call: &HookCall) -> bool {
    let listed = call.background_agents.as_ref();
    call.agent.is_none() && listed.is_some_and(|agents| !agents.is_empty())
}

/// The work that a call gives to a sub-agent.
fn given(call: &HookCall) -> Option<ChildToken> {
    let task = call.tool.task().filter(|_| call.tool.tool() == Tool::Agent)?;
    tokens_named(task).find_map(|token| token.parse().ok())
}

/// Denies a second sub-agent for work that a sub-agent in the background was given.
pub(super) fn deny_second(
    store: &mut Store,
    call: &HookCall,
    session: &SessionId,
) -> Result<Option<HookReply>, AppError> {
    let Some(work) = given(call) else { return Ok(None) };
    let known = store.session(session)?;
    if !known.is_some_and(|row| row.memory.has_launched(&work)) {
        return Ok(None);
    }
    Ok(Some(HookReply {
        deny: Some(hook_text::already_launched(&work.to_string())),
        ..HookReply::default()
    }))
}

/// Whether a sub-agent in the background works on the session's run.
pub(super) fn has_launched(store: &mut Store, session: &SessionId) -> Result<bool, AppError> {
    let known = store.session(session)?;
    Ok(known.is_some_and(|row| !row.memory.launched.is_empty()))
}

/// Records the work of a sub-agent that was started in the background.
pub(super) fn note_launch(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<(), AppError> {
    let (Some(agent), Some(work)) = (call.tool.background_agent(), given(call)) else {
        return Ok(());
    };
    store.row_transaction(|tx| {
        let mut row = session_row(tx, ctx, call, session)?;
        row.memory.launched.insert(agent.to_owned(), work.clone());
        Ok(tx.keep_session(&row)?)
    })
}

/// Forgets a sub-agent that has stopped.
pub(super) fn forget(store: &mut Store, session: &SessionId, agent: Option<&str>) -> Result<(), AppError> {
    change(store, session, |launched| {
        launched.retain(|known, _| Some(known.as_str()) != agent);
    })
}

/// Forgets the sub-agents that the client no longer lists.
pub(super) fn keep_listed(store: &mut Store, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
    match &call.background_agents {
        Some(at_work) => change(store, session, |launched| {
            launched.retain(|agent, _| at_work.contains(agent));
        }),
        None => Ok(()),
    }
}

/// Changes the list of sub-agents in the background. Usually the list is empty, and nothing is written.
fn change(
    store: &mut Store,
    session: &SessionId,
    change: impl Fn(&mut std::collections::BTreeMap<String, ChildToken>),
) -> Result<(), AppError> {
    let is_changed = |row: &mut bugle_store::SessionRow| {
        let before = row.memory.launched.len();
        change(&mut row.memory.launched);
        row.memory.launched.len() != before
    };
    if !store
        .session(session)?
        .is_some_and(|mut row| is_changed(&mut row))
    {
        return Ok(());
    }
    store.row_transaction(|tx| {
        let Some(mut row) = tx.session(session)? else {
            return Ok(());
        };
        is_changed(&mut row);
        Ok(tx.keep_session(&row)?)
    })
}
