//! Detects input that the user typed. An agent may act in the user's name only after such input.

use bugle_client::hook::HookCall;
use bugle_core::id::{ContentHash, SessionId};
use bugle_store::{SessionRow, Store};

use super::session::{remember, session_row};
use crate::files::content_hash;
use crate::wakeup::decompress;
use crate::{AppError, Context, agents, ancestors};

/// A hash for comparing prompts. Ignores surrounding whitespace, which clients change.
fn fingerprint(text: &str) -> ContentHash {
    content_hash(text.trim().as_bytes())
}

/// Whether the user typed this call's prompt, rather than the client or Bugle.
pub(super) fn is_typed(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<bool, AppError> {
    let Some(typed) = &call.typed else {
        return Ok(false);
    };
    if call.client.prompts_with_refusals() {
        let known = store.session(session)?;
        let refused_with = known.and_then(|known| known.memory.refused_with);
        if refused_with == Some(fingerprint(typed)) {
            return Ok(false);
        }
    }
    let is_sent = sent_prompt(store, ctx, session)?.as_deref().map(fingerprint) == Some(fingerprint(typed));
    Ok(!is_sent && !ancestors::is_called_by_tool(call.client))
}

/// The last prompt that the supervisor sent to a session's agent; `None` if Bugle did not start that agent.
fn sent_prompt(store: &mut Store, ctx: &Context, session: &SessionId) -> Result<Option<String>, AppError> {
    let agent = match store.agent_of_session(session)? {
        Some(row) => Some(row),
        None => agents::agent_from_environment(store, ctx)?,
    };
    let Some(agent) = agent.filter(|row| row.task.is_some()) else {
        return Ok(None);
    };
    let delivery = store.delivery(&agent.project, &agent.address)?;
    let Some(wakeup) = delivery.and_then(|delivery| delivery.wakeup) else {
        return Ok(None);
    };
    let bytes = store.wakeup_content(&wakeup)?;
    Ok(bytes.and_then(|bytes| decompress(&bytes)))
}

/// The session's row after the user typed something. From now on the main thread may relay the user's decisions.
pub(super) fn row_with_input(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<SessionRow, AppError> {
    let mut row = session_row(store, ctx, call, session)?;
    row.memory.user_spoke = Some(ctx.now());
    Ok(row)
}

/// Remembers the text that makes the agent continue, because some clients report that text as a prompt.
pub(super) fn refused_with(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    text: Option<&str>,
) -> Result<(), AppError> {
    if let Some(text) = text.filter(|_| call.client.prompts_with_refusals()) {
        let hash = fingerprint(text);
        remember(store, ctx, call, session, |memory| {
            memory.refused_with = Some(hash.clone());
        })?;
    }
    Ok(())
}
