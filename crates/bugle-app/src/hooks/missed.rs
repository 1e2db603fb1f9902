//! Delivers text that the main thread has missed: a wake-up or unread messages.

use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_core::id::SessionId;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::hook_text;
use bugle_store::{SessionRow, Store};

use super::session::main_run;
use super::{ReplySender, agent_state, answers};
use crate::runs::{Loaded, Reader, Reply};
use crate::wakeup::WakeRequest;
use crate::{AppError, Context, open_run, runs, wakeup};

/// Returns the user's answers to the session's questions, then `before`, then the text that the main thread has missed:
/// a wake-up if the thread missed one after a compaction or at the start of the session, else unread messages.
pub(super) fn missed_text(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    before: Option<String>,
    sender: &mut ReplySender<'_>,
) -> Result<Option<String>, AppError> {
    if !call.shows_context() {
        return Ok(before);
    }
    let mut before = before;
    if let Some(mut row) = store.session(session)? {
        let waiting = row.memory.asked.len();
        let news = answers::answers(store, ctx, session, &mut row.memory)?;
        if row.memory.asked.len() < waiting {
            store.keep_session(&row)?;
            row = row.kept();
        }
        let texts: Vec<String> = news.into_iter().chain(before).collect();
        before = (!texts.is_empty()).then(|| texts.join("\n\n"));
        if row.memory.unwoken {
            return compaction_text(store, ctx, call, row, before, sender);
        }
        if let Some(reason) = row.memory.started.take() {
            let text = wakeup_text(store, ctx, call, reason, before, sender)?;
            store.keep_session(&row)?;
            return Ok(text);
        }
    }
    if agent_state::has_unread(store, ctx)? {
        return wakeup_text(store, ctx, call, WakeReason::Mention, before, sender);
    }
    Ok(before)
}

/// Returns `before`, followed by the wake-up that the main thread missed after a compaction.
pub(super) fn compaction_text(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    mut row: SessionRow,
    before: Option<String>,
    sender: &mut ReplySender<'_>,
) -> Result<Option<String>, AppError> {
    let text = wakeup_text(store, ctx, call, WakeReason::Compact, before, sender)?;
    row.memory.started = None;
    row.memory.woken();
    store.keep_session(&row)?;
    Ok(text)
}

/// The main thread's position, for a client that may have compacted the conversation; `None` if no step is open.
pub(super) fn position_text(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
) -> Result<Option<String>, AppError> {
    let Some(row) = main_run(store, session)? else {
        return Ok(None);
    };
    let run = open_run::read(store, &row.id, &row.directory)?;
    let show = ctx.command(&["step", row.id.as_str()]);
    Ok(
        match runs::step_reply(store, ctx, &run, Loaded::default(), &Reader::New) {
            Ok(Reply::Step(step)) => Some(hook_text::position(&step, &show, &ctx.command(&["wake"]))),
            _ => None,
        },
    )
}

/// Appends the main thread's wake-up to `before`; `None` if both are empty. The result must fit into the client's
/// budget, because messages in a wake-up count as read.
pub(super) fn wakeup_text(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    reason: WakeReason,
    before: Option<String>,
    sender: &mut ReplySender<'_>,
) -> Result<Option<String>, AppError> {
    let before = before.map_or(String::new(), |before| format!("{before}\n\n"));
    let budget = call.client.hook_budget();
    let request = WakeRequest {
        agent: None,
        reason,
        budget: Budget {
            limit: budget.limit.saturating_sub(budget.unit.measure(&before)),
            ..budget
        },
        message: None,
        replaces: None,
        dry_run: false,
    };
    let ReplySender {
        clock,
        send,
        was_sent,
    } = sender;
    let view = wakeup::wake_and_write(store, ctx, &request, *clock, &mut |view| {
        let text = Some(format!("{before}{}", view.text));
        *was_sent = true;
        send(&match call.event {
            HookEvent::Stop => HookReply {
                continue_with: text,
                ..HookReply::default()
            },
            _ => HookReply {
                context: text,
                ..HookReply::default()
            },
        })
    })?;
    let text = format!("{before}{}", view.text);
    Ok(Some(text).filter(|text| !text.is_empty()))
}
