//! Tells sub-agents from the main thread in a client whose hooks do not mention them.
//!
//! The main thread waits for the sub-agents that it has started. So while one of them has not returned, a tool call comes
//! from a sub-agent. If there are several, the call's tokens show which one it is; a call without tokens is denied only
//! if the rules of each of them forbid it.

use bugle_client::bugle_tool;
use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_core::hook::{Delegation, tokens_named};
use bugle_core::id::{ChildToken, RunId, SessionId, VisitToken};
use bugle_core::tool::Tool;
use bugle_store::Store;

use super::session::session_row;
use super::{ReplySender, stop, subagent, tool};
use crate::files::content_hash;
use crate::{AppError, Context};

/// Maximum number of tokens to remember from a prompt.
const MAX_TOKENS: usize = 20;

/// The reply to a call of a sub-agent, or to the call that starts a sub-agent; `None` for the main thread's other calls.
pub(super) fn reply(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    sender: &mut ReplySender<'_>,
) -> Result<Option<HookReply>, AppError> {
    let Some(end) = call.client.subagent_end().filter(|_| call.agent.is_none()) else {
        return Ok(None);
    };
    let starts = call.tool.tool() == Tool::Agent;
    match call.event {
        HookEvent::PreToolUse if starts => {
            let answer = tool::before_tool(store, ctx, call, session)?;
            if answer.deny.is_none() {
                begin(store, ctx, call, session)?;
            }
            Ok(Some(answer))
        }
        HookEvent::PostToolUse if starts => {
            forget(store, session, Some(&id(call)))?;
            Ok(None)
        }
        HookEvent::PreToolUse => {
            let mut answer = None;
            for own in callers(store, call, session)? {
                let given = if call.tool.name == end {
                    // A sub-agent has a single turn, in which it may have been refused before.
                    let own = HookCall {
                        stop_hook_active: true,
                        ..own
                    };
                    let refused = stop::subagent_stops(store, ctx, &own, session)?;
                    HookReply {
                        deny: refused.continue_with,
                        ..HookReply::default()
                    }
                } else {
                    tool::before_tool(store, ctx, &own, session)?
                };
                let is_allowed = given.deny.is_none();
                answer = Some(given);
                if is_allowed {
                    break;
                }
            }
            Ok(answer)
        }
        HookEvent::PostToolUse => match callers(store, call, session)?.first() {
            Some(own) => tool::after_tool(store, ctx, own, session, sender).map(Some),
            None => Ok(None),
        },
        // The main thread is at work again.
        HookEvent::SessionStart | HookEvent::UserPromptSubmit | HookEvent::Stop => {
            forget(store, session, None)?;
            Ok(None)
        }
        _ => Ok(None),
    }
}

/// Identifies a sub-agent by the call that started it.
fn id(call: &HookCall) -> String {
    let hash = content_hash(call.tool.input.to_string().as_bytes());
    hash.as_str().chars().take(12).collect()
}

fn begin(store: &mut Store, ctx: &Context, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
    let text = |name: &str| call.tool.input[name].as_str().map(str::to_owned);
    let prompt = text("prompt").unwrap_or_default();
    let mut row = session_row(store, ctx, call, session)?;
    let delegation = Delegation {
        kind: text("agent_name"),
        tokens: tokens_named(&prompt)
            .take(MAX_TOKENS)
            .map(str::to_owned)
            .collect(),
    };
    let own = as_subagent(call, id(call), &delegation);
    row.memory.delegations.insert(id(call), delegation);
    store.keep_session(&row)?;
    subagent::subagent_started(store, ctx, &own, session)?;
    Ok(())
}

/// Forgets the sub-agent with this id, or all.
fn forget(store: &mut Store, session: &SessionId, id: Option<&str>) -> Result<(), AppError> {
    let known = store.session(session)?;
    let Some(mut row) = known.filter(|row| !row.memory.delegations.is_empty()) else {
        return Ok(());
    };
    row.memory
        .delegations
        .retain(|known, _| id.is_some_and(|id| id != known));
    Ok(store.keep_session(&row)?)
}

/// The call as each sub-agent that may have made it would report it.
fn callers(store: &mut Store, call: &HookCall, session: &SessionId) -> Result<Vec<HookCall>, AppError> {
    let delegations = match store.session(session)? {
        Some(row) => row.memory.delegations,
        None => return Ok(Vec::new()),
    };
    if delegations.is_empty() {
        return Ok(Vec::new());
    }
    let text = match call.tool.command() {
        Some(command) => command.into_owned(),
        None if bugle_tool(&call.tool.name).is_some() => call.tool.input.to_string(),
        None => String::new(),
    };
    let tokens: Vec<&str> = tokens_named(&text).take(MAX_TOKENS).collect();
    let mut all = Vec::new();
    for (id, delegation) in delegations {
        let own = as_subagent(call, id.clone(), &delegation);
        let mut is_named = tokens
            .iter()
            .any(|token| delegation.tokens.iter().any(|known| known == token));
        if !is_named && !tokens.is_empty() {
            let runs = store.subagent_runs(session, &id)?;
            is_named = tokens.iter().any(|token| {
                let run = run_of(token);
                run.is_some_and(|run| runs.iter().any(|own| own.id == run))
            });
        }
        if is_named {
            return Ok(vec![own]);
        }
        all.push(own);
    }
    Ok(all)
}

fn run_of(token: &str) -> Option<RunId> {
    let child = token.parse::<ChildToken>().map(|child| child.parent);
    let visit = child.or_else(|_| token.parse::<VisitToken>()).ok()?;
    Some(visit.run)
}

fn as_subagent(call: &HookCall, id: String, delegation: &Delegation) -> HookCall {
    HookCall {
        agent: Some(id),
        agent_type: delegation.kind.clone(),
        ..call.clone()
    }
}
