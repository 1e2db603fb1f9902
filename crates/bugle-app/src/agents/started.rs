//! Agents whose clients Bugle started, and their sessions.

use bugle_core::agent::Delivery;
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, DeliveryRow, ProjectId, Store};

use crate::{AppError, Context, projects};

/// The agent named in the environment of a client that Bugle started, if that agent is in this project.
pub(crate) fn agent_from_environment(store: &mut Store, ctx: &Context) -> Result<Option<AgentRow>, AppError> {
    let Some(agent) = ctx.agent.clone() else {
        return Ok(None);
    };
    match projects::project(store, ctx)? {
        Some(project) => Ok(store.agent(&project, &agent)?),
        None => Ok(None),
    }
}

/// Binds this session to the agent whose client Bugle started, if that client has not reported its session yet. A
/// client's hooks and commands can run before the client prints its first line.
pub(crate) fn adopt_awaited_session(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
) -> Result<Option<AgentRow>, AppError> {
    let Some(agent) = agent_from_environment(store, ctx)? else {
        return Ok(None);
    };
    store.row_transaction(|tx| {
        let Some((mut row, delivery)) = agent_with_delivery(tx, &agent.project, &agent.address)? else {
            return Ok(None);
        };
        if delivery.state != Delivery::Carried || !delivery.is_new_session {
            return Ok(None);
        }
        begin_session(tx, &mut row, session)?;
        tx.keep_agent(&row)?;
        Ok(Some(row))
    })
}

/// An agent and the delivery of its prompt.
pub(crate) type Pair = (AgentRow, DeliveryRow);

pub(crate) fn agent_with_delivery(
    store: &mut Store,
    project: &ProjectId,
    agent: &AgentAddress,
) -> Result<Option<Pair>, AppError> {
    let row = store.agent(project, agent)?;
    let delivery = store.delivery(project, agent)?;
    Ok(row.zip(delivery))
}

/// Binds an agent to a session. Open work from the agent's previous session moves to the new session.
pub(crate) fn begin_session(
    store: &mut Store,
    row: &mut AgentRow,
    session: &SessionId,
) -> Result<(), AppError> {
    if row.session.as_ref() == Some(session) {
        return Ok(());
    }
    if let Some(before) = &row.session {
        store.hand_over(before, session)?;
    }
    row.session = Some(session.clone());
    row.machine = store.machine().clone();
    Ok(())
}
