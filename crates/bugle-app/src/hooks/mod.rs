//! Handles client hooks. Hooks mostly read. An error in a hook never makes the client fail: this module returns the
//! error, and the command line logs it.

mod agent_state;
mod answers;
mod background;
mod delegation;
mod missed;
mod program;
mod read_ahead;
mod session;
mod status;
mod stop;
mod subagent;
mod todos;
mod tool;
mod user_input;

use missed::{missed_text, position_text, wakeup_text};
pub use program::program_not_found;
use session::{change_session, remember, session_of_call, session_row};
pub use status::status_line;

use bugle_client::hook::{HookCall, HookEvent, HookReply};
use bugle_core::engine::{Command, RunStatus};
use bugle_core::hook::FolderFacts;
use bugle_core::id::SessionId;
use bugle_core::wake::WakeReason;
use bugle_store::{Store, StoreError};

use crate::wakeup::ShortClock;
use crate::{App, AppError, Context, agents, open_run, projects, runs};

/// Sends a reply to the client.
pub(crate) type SendReply<'a> = &'a mut dyn FnMut(&HookReply) -> Result<(), AppError>;

/// Sends the reply to a hook once. A reply that contains messages is sent inside the transaction that marks them as
/// read, so that a crash loses no message.
struct ReplySender<'a> {
    clock: ShortClock<'a>,
    send: SendReply<'a>,
    was_sent: bool,
}

/// Upgrades an older store in the background: the upgrade copies the whole store, and the client should not wait. If
/// the upgrade does not start, the next command upgrades the store.
fn upgrade_in_background(ctx: &Context) {
    use std::process::{Command, Stdio};
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut command = Command::new(program);
    command
        .args(["store", "migrate"])
        .env("BUGLE_HOME", &ctx.bugle_home)
        .current_dir(&ctx.bugle_home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let _ = command.spawn();
}

/// Opens the store for a hook, and sends the call's first queries in advance. Returns `None` if there is no store,
/// because a hook creates no files.
pub fn open(context: Context, call: Option<&HookCall>) -> Result<Option<App>, AppError> {
    if !context.store.may_exist() {
        return Ok(None);
    }
    let opened = context.store.open_for_hook(&mut |ahead| match call {
        Some(call) => read_ahead::plan(ahead, &context, call),
        None => read_ahead::plan_status_line(ahead, &context),
    });
    match opened {
        Ok(store) => Ok(Some(App { context, store })),
        Err(error) => {
            if matches!(error, AppError::Store(StoreError::Older { .. })) {
                upgrade_in_background(&context);
            }
            Err(error)
        }
    }
}

/// Handles a hook call.
pub fn hook(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    clock: ShortClock<'_>,
    send: SendReply<'_>,
) -> Result<(), AppError> {
    let mut sender = ReplySender {
        clock,
        send,
        was_sent: false,
    };
    let answer = reply_to(store, ctx, call, &mut sender)?;
    store.flush()?;
    if sender.was_sent {
        return Ok(());
    }
    (sender.send)(&answer)
}

/// The reply to a hook call. It may already have been sent.
fn reply_to(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    sender: &mut ReplySender<'_>,
) -> Result<HookReply, AppError> {
    let nothing = HookReply::default();
    let Some(session) = ctx.session.clone() else {
        return Ok(nothing);
    };
    if let Some(answer) = delegation::reply(store, ctx, call, &session, sender)? {
        return Ok(answer);
    }
    if call.event == HookEvent::PreToolUse {
        return tool::before_tool(store, ctx, call, &session);
    }
    // Do nothing in projects that do not use Bugle.
    if !is_project_in_use(store, ctx, call)? {
        return Ok(nothing);
    }
    // Clients compact a sub-agent separately from the main thread, although both share a session.
    let own = session_of_call(call, &session);
    let now = ctx.now();
    let answer = match call.event {
        HookEvent::SessionStart if call.agent.is_some() => {
            subagent::after_compaction(store, ctx, call, &session, &own)
        }
        HookEvent::SessionStart => session_started(store, ctx, call, &session, sender),
        HookEvent::UserPromptSubmit if call.is_in_subagent_session() => Ok(nothing),
        HookEvent::UserPromptSubmit => prompt_submitted(store, ctx, call, &session, sender),
        HookEvent::PreToolUse => Ok(nothing),
        HookEvent::PostToolUse => tool::after_tool(store, ctx, call, &session, sender),
        HookEvent::SubagentStart => subagent::subagent_started(store, ctx, call, &session),
        HookEvent::SubagentStop => stop::subagent_stops(store, ctx, call, &session),
        HookEvent::PreCompact => remember(store, ctx, call, &own, |memory| {
            memory.compaction_begins(now);
            if !call.reports_end_of_compaction() {
                memory.compaction_ends(now);
            }
        }),
        HookEvent::PostCompact => remember(store, ctx, call, &own, |memory| memory.compaction_ends(now)),
        HookEvent::Stop if !call.can_continue() => return Ok(nothing),
        HookEvent::Stop => stop::stops(store, ctx, call, &session, sender),
        HookEvent::SessionEnd => session_ended(store, ctx, call, &session),
    }?;
    if call.event == HookEvent::SubagentStop && answer.continue_with.is_none() {
        background::forget(store, &session, call.agent.as_deref())?;
    }
    agent_state::note_turn_end(store, ctx, call, &session, &answer)?;
    Ok(answer)
}

/// Whether the project uses Bugle. A new project is added only when a session starts there.
fn is_project_in_use(store: &mut Store, ctx: &Context, call: &HookCall) -> Result<bool, AppError> {
    let is_known = projects::follow_move(store, ctx)?.is_some();
    let begins = matches!(call.event, HookEvent::SessionStart | HookEvent::UserPromptSubmit);
    if is_known || !begins || call.agent.is_some() {
        return Ok(is_known);
    }
    let around = FolderFacts {
        is_known,
        is_repository: ctx.is_repository(),
        has_traces: crate::setup::has_traces(ctx),
    };
    Ok(around.is_workplace())
}

fn session_started(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    sender: &mut ReplySender<'_>,
) -> Result<HookReply, AppError> {
    let mut row = session_row(store, ctx, call, session)?;
    let reason = match call.cause.as_deref() {
        Some("resume" | "fork" | "load") if !call.client.forgets_wakeup_on_resume() => WakeReason::Resume,
        Some("clear") => WakeReason::Clear,
        Some("compact") => WakeReason::Compact,
        _ => WakeReason::Startup,
    };
    // After a compaction, the sub-agents in the background are still at work.
    if reason != WakeReason::Compact {
        row.memory.launched.clear();
    }
    // After a clear, do not look up the agent here: the transaction below moves the cleared session's agent to this
    // session.
    let known = match reason {
        WakeReason::Clear => None,
        _ => agents::known_agent(store, session)?,
    };
    if reason != WakeReason::Resume {
        row.memory.forgot_at = Some(ctx.now());
    }
    row.memory.started = Some(reason).filter(|_| call.client.loses_start_reply());
    store.row_transaction(|tx| {
        if reason == WakeReason::Clear {
            // After a clear, the client continues the work in a session with a new id.
            let before = tx.ended_session(&row.client, &row.directory, "clear")?;
            if let Some(before) = before.filter(|before| before != session) {
                // Register the cleared session's agent if it is new. The agent then moves to the new session with its
                // work.
                agents::agent_of(tx, ctx, &before, Some(call.client.as_str()))?;
                tx.hand_over(&before, session)?;
            }
        }
        tx.keep_session(&row)?;
        agent_state::turn_began(tx, ctx, call, session, known.as_ref())
    })?;
    if row.memory.started.is_some() {
        return Ok(HookReply::default());
    }
    // Assemble the wake-up outside the transaction, because this may wait for git.
    let text = wakeup_text(store, ctx, call, reason, None, sender)?;
    if reason == WakeReason::Compact {
        let mut row = row.kept();
        row.memory.woken();
        store.keep_session(&row)?;
    }
    Ok(HookReply {
        context: text,
        ..HookReply::default()
    })
}

fn session_ended(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
) -> Result<HookReply, AppError> {
    change_session(store, ctx, call, session, |row| {
        row.ended = Some(call.cause.clone().unwrap_or_else(|| "other".to_owned()));
    })
}

/// The agent receives a prompt. The reply contains a full wake-up if the agent missed one after a compaction, else
/// unread messages.
fn prompt_submitted(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    sender: &mut ReplySender<'_>,
) -> Result<HookReply, AppError> {
    let missed = if call.agent.is_some() {
        subagent::missed_step(store, ctx, call, session)?
    } else {
        let known = agents::known_agent(store, session)?;
        let row = if user_input::is_typed(store, ctx, call, session)? {
            Some(user_input::row_with_input(store, ctx, call, session)?)
        } else {
            None
        };
        let may_be_compacted = row.is_some() && call.client.hides_compactions();
        store.row_transaction(|tx| {
            // Write the session first, as every hook does, so that two hooks of one session cannot deadlock.
            if let Some(row) = &row {
                tx.keep_session(row)?;
            }
            agent_state::turn_began(tx, ctx, call, session, known.as_ref())
        })?;
        store.read_ahead(|plan| {
            plan.session(session)?;
            plan.agent_of_session(session).map(drop)
        })?;
        resume_released(store, ctx, session)?;
        // Clients report the end of a sub-agent in the background with a prompt that they generate.
        let returned = match call.typed {
            Some(_) => None,
            None => subagent::subagent_returned(store, ctx, session)?,
        };
        match missed_text(store, ctx, call, session, returned, sender)? {
            None if may_be_compacted => position_text(store, ctx, session)?,
            missed => missed,
        }
    };
    Ok(HookReply {
        context: missed,
        ..HookReply::default()
    })
}

/// Resumes a released step, because the user has sent its agent another prompt.
fn resume_released(store: &mut Store, ctx: &Context, session: &SessionId) -> Result<(), AppError> {
    for row in store.main_runs(session)? {
        if row.status == RunStatus::Waiting && open_run::read_state(store, &row.id)?.is_released() {
            runs::execute(store, ctx, row.into(), |_| Command::Resume)?;
        }
    }
    Ok(())
}
