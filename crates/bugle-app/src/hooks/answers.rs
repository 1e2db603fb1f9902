//! News for an agent: the user has answered a run's question elsewhere: in a terminal or on the dashboard.

use std::collections::BTreeMap;

use bugle_client::hook::HookCall;
use bugle_core::engine::RunStatus;
use bugle_core::hook::SessionMemory;
use bugle_core::id::{Actor, RunId, SessionId};
use bugle_render::hook_text;
use bugle_store::{RunRow, Store};

use super::session::remember;
use crate::{AppError, Context, open_run};

/// Remembers which of the session's runs wait for the user, because the agent is about to stop.
pub(super) fn note_questions(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    runs: &[RunRow],
) -> Result<(), AppError> {
    let waiting = runs.iter().filter(|row| row.status == RunStatus::Waiting);
    let asked: BTreeMap<String, u64> = waiting.map(|row| (row.id.to_string(), row.version)).collect();
    let known = store.session(session)?.map(|row| row.memory.asked);
    if known.unwrap_or_default() != asked {
        remember(store, ctx, call, session, |memory| memory.asked = asked)?;
    }
    Ok(())
}

/// The answers that others gave to the remembered questions. Each is returned once; a question without an answer
/// stays remembered.
pub(super) fn answers(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
    memory: &mut SessionMemory,
) -> Result<Vec<String>, AppError> {
    let mut news = Vec::new();
    for (id, version) in std::mem::take(&mut memory.asked) {
        let Ok(run) = id.parse::<RunId>() else { continue };
        let Some(row) = store.run(&run)? else { continue };
        if row.version == version {
            memory.asked.insert(id, version);
            continue;
        }
        let state = open_run::read_state(store, &row.id)?;
        let mut asked = state.visits().iter().rev().filter(|visit| visit.asked.is_some());
        // The run may already ask its next question.
        let ending = asked.find_map(|visit| visit.ending.as_ref());
        // The agent knows the answers that it has relayed itself.
        let is_own =
            |by: &Actor| matches!(by, Actor::Agent(agent) | Actor::Relay { agent, .. } if agent == session);
        let Some(ending) = ending.filter(|ending| !is_own(&ending.by)) else {
            continue;
        };
        let result = ending.result.as_ref();
        let answer = result.and_then(|result| result.get("decision").or_else(|| result.get("answer")));
        let show = ctx.command(&["step", row.id.as_str()]);
        news.push(hook_text::answered(
            row.id.as_str(),
            answer.and_then(|answer| answer.as_str()),
            &show,
        ));
    }
    Ok(news)
}
