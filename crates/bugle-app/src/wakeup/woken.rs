//! The agent that wakes up: its row, session, name and tasks, from one read.

use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{AgentRow, ProjectId, Store};

use super::WakeRequest;
use crate::agents::Me;
use crate::ownership::Worker;
use crate::{AppError, Context, agents, tasks};

/// The agent that wakes up; `None` if the request names none and there is no session. `known` is its row, if the caller has
/// read it.
pub(super) fn woken_agent(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    known: Option<&AgentRow>,
) -> Result<Option<Me>, AppError> {
    if let Some(row) = known.filter(|row| row.renamed.is_none()) {
        return Ok(Some(Me::of(row.clone())));
    }
    match (&request.agent, agents::me(store, ctx, request.agent.as_deref())) {
        (_, Ok(me)) => Ok(Some(me)),
        (None, Err(AppError::Usage { .. })) => Ok(None),
        (_, Err(error)) => Err(error),
    }
}

/// An agent as it is addressed in its own project.
pub(super) fn shown_name(me: &Me) -> String {
    format!("@{}", me.address.seen_from(&me.home))
}

/// The session of a named agent; without one, the name itself.
pub(super) fn session_of(name: &str, me: Option<&Me>) -> SessionId {
    let row = me.and_then(|me| me.row.as_ref());
    let session = row.and_then(|row| row.session.clone());
    session.unwrap_or_else(|| SessionId(name.trim_start_matches('@').to_owned()))
}

/// The agent or person whose tasks count as its own.
pub(super) fn worker(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    name: Option<&AgentName>,
    me: Option<&Me>,
) -> Result<Option<Worker>, AppError> {
    let known = name.zip(me.and_then(|me| me.row.as_ref()));
    match known.and_then(|(name, row)| Worker::known(ctx, name, row)) {
        Some(worker) => Ok(Some(worker)),
        None => tasks::worker_for(store, ctx, project, name),
    }
}
