//! Handles sub-agents in hooks: a sub-agent's run, start and stop, and the orchestrator's next action.

use bugle_client::bugle_tool;
use bugle_client::hook::{HookCall, HookReply};
use bugle_core::engine::ChildState;
use bugle_core::hook::{SessionMemory, child_started, tokens_named};
use bugle_core::id::{ChildToken, RunId, SessionId};
use bugle_render::hook_text;
use bugle_store::{RunRow, Store};

use super::background;
use super::program::calls_bugle;
use super::session::{main_run, remember, runs_of_call, session_of_call, session_row};
use crate::open_run::OpenRun;
use crate::runs::{Children, Loaded, Reader, Reply};
use crate::{AppError, Context, open_run, runs};

/// Maximum number of run ids or tokens to look up in a tool's output or command.
const MAX_NAMES: usize = 20;

/// Whether a sub-agent type is an exported role. A plugin prefixes the type with its own name.
fn is_exported_role(kind: &str) -> bool {
    kind.rsplit(':')
        .next()
        .is_some_and(|name| name.starts_with("bugle-"))
}

/// Binds a sub-agent to the run that it started with a tool. Returns false if it started no run.
pub(super) fn bind(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    agent: &str,
) -> Result<bool, AppError> {
    let place = ctx.clone();
    let program = |word: &str| calls_bugle(&place, word);
    let command = call.tool.command().unwrap_or_default();
    let by_tool = bugle_tool(&call.tool.name).is_some_and(|tool| tool.starts_with("start"));
    let child = child_started(&command, &program).or_else(|| {
        let child = call.tool.input.get("child").filter(|_| by_tool)?;
        child.as_str().map(str::to_owned)
    });
    let child = child.and_then(|token| token.parse::<ChildToken>().ok());
    let run = match child {
        Some(token) => {
            let parents = store.runs_by_prefix(token.parent.run.as_str())?;
            let Some(parent) = parents.first() else {
                return Ok(false);
            };
            let children = store.children(&parent.id, token.parent.visit)?;
            let is_own = |child: &ChildToken| child.slot == token.slot;
            let own = children
                .into_iter()
                .find(|row| row.child.as_ref().is_some_and(is_own));
            own.map(|row| row.id)
        }
        None if by_tool || (command.contains("start") && command.contains("bugle")) => {
            run_begun_in(store, &call.tool.said(), &session_of_call(call, session))?
        }
        None => None,
    };
    let Some(run) = run else { return Ok(false) };
    store.bind_subagent(session, agent, &run)?;
    Ok(true)
}

/// Records that a sub-agent is about to start or report work. Only hooks can tell a sub-agent from the main thread, and
/// a review without this record counts as a self-review. The record must therefore exist before the sub-agent's command
/// runs.
pub(super) fn note_call(store: &mut Store, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
    let Some(agent) = &call.agent else { return Ok(()) };
    let text = match call.tool.command() {
        Some(command) => command,
        None if bugle_tool(&call.tool.name).is_some() => call.tool.input.to_string().into(),
        None => return Ok(()),
    };
    if text.contains('#') {
        for token in tokens_named(&text).take(MAX_NAMES) {
            store.note_subagent_call(session, agent, token)?;
        }
    }
    Ok(())
}

/// The first run named in `text` that was started after this sub-agent began. An older run belongs to the main thread,
/// and a sub-agent must not take over a run that it only mentions.
fn run_begun_in(store: &mut Store, text: &str, own: &SessionId) -> Result<Option<RunId>, AppError> {
    let Some(began_at) = store.session(own)?.and_then(|row| row.memory.began_at) else {
        return Ok(None);
    };
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
    let ids = words.filter_map(|word| word.parse::<RunId>().ok());
    for id in ids.take(MAX_NAMES) {
        if store
            .runs_by_prefix(id.as_str())?
            .iter()
            .any(|row| row.id == id && row.started_at >= began_at)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// A sub-agent starts. If its session's run dispatches work, the reply says how to start that work.
pub(super) fn subagent_started(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<HookReply, AppError> {
    // A client's internal helpers have no type and work on no run.
    if call.agent_type.is_none() {
        return Ok(HookReply::default());
    }
    let now = ctx.now();
    remember(store, ctx, call, &session_of_call(call, session), |memory| {
        memory.began_at.get_or_insert(now);
    })?;
    let open_dispatch = open_dispatch(store, ctx, session)?;
    Ok(HookReply {
        context: open_dispatch
            .map(|(row, free)| hook_text::subagent_start(&row.skill, row.id.as_str(), &free)),
        ..HookReply::default()
    })
}

/// A sub-agent stops without a run. If the sub-agent has an exported role and there is work for that role, the reply
/// asks the sub-agent once to start that work.
pub(super) fn stopped_without_run(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<HookReply, AppError> {
    let mut answer = HookReply::default();
    if !call.agent_type.as_deref().is_some_and(is_exported_role) {
        return Ok(answer);
    }
    let Some((row, free)) = open_dispatch(store, ctx, session)?.filter(|(_, free)| !free.is_empty()) else {
        return Ok(answer);
    };
    let mut known = session_row(store, ctx, call, &session_of_call(call, session))?;
    if known.memory.ask_to_begin() {
        store.keep_session(&known)?;
        answer.continue_with = Some(hook_text::subagent_not_started(
            &row.skill,
            row.id.as_str(),
            &free,
        ));
    }
    Ok(answer)
}

/// The session's run that dispatches work, with the commands that start the remaining sub-agents.
fn open_dispatch(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
) -> Result<Option<(RunRow, Vec<String>)>, AppError> {
    let Some(row) = main_run(store, session)? else {
        return Ok(None);
    };
    let run = open_run::read(store, &row.id, &row.directory)?;
    let (Some(states), Some(parent)) = (child_states(store, &run)?, run.state.current_token()) else {
        return Ok(None);
    };
    let memory = store.session(session)?.map(|row| row.memory).unwrap_or_default();
    let free: Vec<String> = (1..)
        .zip(&states)
        .filter(|(_, state)| state.is_free())
        .map(|(slot, _)| {
            let parent = parent.clone();
            ChildToken { parent, slot }
        })
        .filter(|work| !memory.has_launched(work))
        .map(|work| ctx.command(&["start", "--child", &work.to_string()]))
        .collect();
    Ok(Some((row, free)))
}

/// A sub-agent was compacted. The reply contains the step of the sub-agent's own run, not the orchestrator's.
pub(super) fn after_compaction(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    own: &SessionId,
) -> Result<HookReply, AppError> {
    remember(store, ctx, call, own, SessionMemory::woken)?;
    Ok(HookReply {
        context: own_step(store, ctx, call, session)?,
        ..HookReply::default()
    })
}

/// The step of a sub-agent that was compacted without a wake-up.
pub(super) fn missed_step(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<Option<String>, AppError> {
    let known = store.session(&session_of_call(call, session))?;
    let Some(mut row) = known.filter(|row| row.memory.unwoken) else {
        return Ok(None);
    };
    row.memory.woken();
    store.keep_session(&row)?;
    own_step(store, ctx, call, session)
}

/// A sub-agent's current step; `None` if the sub-agent has no run.
fn own_step(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<Option<String>, AppError> {
    let rows = runs_of_call(store, call, session)?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let run = open_run::read(store, &row.id, &row.directory)?;
    let show = ctx.command(&["step", row.id.as_str()]);
    Ok(
        match runs::step_reply(store, ctx, &run, Loaded::default(), &Reader::New) {
            Ok(Reply::Step(step)) => Some(hook_text::subagent_step(&step, &show, call.client.hook_budget())),
            _ => None,
        },
    )
}

/// The states of the sub-agents that a run's current step dispatched; `None` if the step dispatched none.
pub(super) fn child_states(store: &mut Store, run: &OpenRun) -> Result<Option<Vec<ChildState>>, AppError> {
    let Some(visit) = run.state.current().filter(|visit| visit.dispatched.is_some()) else {
        return Ok(None);
    };
    let mut states = vec![ChildState::NotStarted; visit.children().len()];
    for report in Children::read(store, &run.state)?.reports {
        let at = usize::try_from(report.slot).unwrap_or(usize::MAX).wrapping_sub(1);
        if let Some(state) = states.get_mut(at) {
            *state = report.state;
        }
    }
    Ok(Some(states))
}

/// A sub-agent has returned. Returns the orchestrator's next action once no sub-agent is working.
pub(super) fn subagent_returned(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
) -> Result<Option<String>, AppError> {
    let Some(row) = main_run(store, session)? else {
        return Ok(None);
    };
    let run = open_run::read(store, &row.id, &row.directory)?;
    let Some(states) = child_states(store, &run)? else {
        return Ok(None);
    };
    if background::has_launched(store, session)? {
        return Ok(None);
    }
    let at_work = |state: &ChildState| matches!(state, ChildState::Working(_));
    let reported = states.iter().filter(|state| state.has_reported()).count();
    if reported == 0 || states.iter().any(at_work) {
        return Ok(None);
    }
    let Ok(Reply::Step(step)) = runs::reply(store, ctx, &run) else {
        return Ok(None);
    };
    Ok(Some(hook_text::subagents_returned(
        row.id.as_str(),
        (reported, states.len()),
        states.iter().any(ChildState::asks),
        step.command.as_deref(),
        &ctx.command(&["step", row.id.as_str()]),
    )))
}
