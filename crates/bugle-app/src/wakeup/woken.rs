//! The woken agent: its row, session and name, and the worker that holds its tasks.

use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{AgentRow, ProjectId, Store};

use super::WakeRequest;
use super::lost_work::LostWork;
use crate::agents::Me;
use crate::ownership::{Worker, caller_as_worker};
use crate::{AppError, Context, agents, ownership};

/// The woken agent; `None` if the request names no agent and there is no session. `project` is the current project.
/// `known` is the agent's row, if the caller has read it.
pub(super) fn woken_agent(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    project: Option<&ProjectId>,
    known: Option<&AgentRow>,
) -> Result<Option<Me>, AppError> {
    if let Some(row) = known.filter(|row| row.renamed.is_none()) {
        return Ok(Some(Me::of(row.clone())));
    }
    let me = agents::me_in(store, ctx, request.agent.as_deref(), project);
    match (&request.agent, me) {
        (_, Ok(me)) => Ok(Some(me)),
        (None, Err(AppError::Usage { .. })) => Ok(None),
        (_, Err(error)) => Err(error),
    }
}

/// An agent's name, relative to its own project.
pub(super) fn shown_name(me: &Me) -> String {
    format!("@{}", me.address.seen_from(&me.home))
}

/// A named agent's session, or the name itself for an agent without a session.
pub(super) fn session_of(name: &str, me: Option<&Me>) -> SessionId {
    let row = me.and_then(|me| me.row.as_ref());
    let session = row.and_then(|row| row.session.clone());
    session.unwrap_or_else(|| SessionId(name.trim_start_matches('@').to_owned()))
}

/// The worker whose tasks count as the woken agent's own: the lost agent, the agent that the request names, or the
/// caller.
pub(super) fn worker(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    request: &WakeRequest,
    me: Option<&Me>,
    lost: Option<&LostWork>,
) -> Result<Option<Worker>, AppError> {
    let own = me.and_then(|me| me.row.as_ref());
    let named = request.agent.as_deref().map(|name| name.trim_start_matches('@'));
    let (name, row) = match lost {
        Some(lost) => (lost.agent_name(), lost.row.as_ref()),
        None => (named.and_then(|name| AgentName::new(name).ok()), own),
    };
    let Some(name) = name else {
        // With `--as`, the woken agent is not the caller.
        let is_caller = lost.is_none() && request.agent.is_none() && ctx.acting_as.is_none();
        return if is_caller {
            Ok(caller_as_worker(ctx, own))
        } else {
            ownership::worker(store, ctx)
        };
    };
    match row.and_then(|row| Worker::known(ctx, &name, row)) {
        Some(worker) => Ok(Some(worker)),
        None => ownership::worker_named(store, ctx, project, &name).map(Some),
    }
}
