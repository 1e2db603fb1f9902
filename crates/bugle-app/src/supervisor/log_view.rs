//! Reads an agent's log: its transcript and its last answer.

use std::path::PathBuf;

use bugle_client::Client;
use bugle_client::transcript::Transcript;
use bugle_core::reply::{AgentLogView, TranscriptItem};
use bugle_store::{AgentRow, Store};

use super::log_file;
use super::notices::exit_text;
use crate::store_password::check_agents_can_sign_in;
use crate::supervisor_process::hosts::require_here;
use crate::{AppError, Context, agents};

/// The last `tail` items of an agent's transcript, in a format shared by all clients.
pub fn agent_log(
    store: &mut Store,
    ctx: &Context,
    name: &str,
    tail: Option<usize>,
) -> Result<AgentLogView, AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    let mut items = read_log(&row)?;
    let surplus = tail.map_or(0, |tail| items.len().saturating_sub(tail));
    items.drain(..surplus);
    Ok(AgentLogView {
        agent: row.address.to_string(),
        items,
        earlier: surplus > 0,
    })
}

/// The path of an agent's log, and the client that writes the log.
pub fn agent_log_file(store: &mut Store, ctx: &Context, name: &str) -> Result<(PathBuf, Client), AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    Ok((log_file(&row)?, client_of(&row)?))
}

/// Whether an agent's process is running.
pub fn agent_is_running(store: &mut Store, ctx: &Context, name: &str) -> Result<bool, AppError> {
    Ok(agents::resolve_agent(store, ctx, name)?.process.is_some())
}

/// An agent's last answer.
pub fn agent_result(store: &mut Store, ctx: &Context, name: &str) -> Result<String, AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    let home = row.address.home();
    let items = read_log(&row)?;
    let turn = items
        .iter()
        .rposition(|item| matches!(item, TranscriptItem::Turn { .. }))
        .unwrap_or_default();
    let mut error = None;
    for item in items[turn..].iter().rev() {
        match item {
            TranscriptItem::Final { text } => return Ok(text.clone()),
            TranscriptItem::Error { text } => {
                error.get_or_insert_with(|| text.clone());
            }
            _ => {}
        }
    }
    let name = row.address.seen_from(&home);
    let what = match (row.process, error) {
        (Some(_), _) => format!("{name} is still running"),
        (None, Some(error)) => format!("{name} did not answer: {error}"),
        (None, None) => format!("{name} did not answer: it {}", exit_text(row.exit_code)),
    };
    let hint = if row.process.is_none() && row.exit_code.is_none() {
        format!(
            "`{}` restarts the agent.",
            ctx.command(&["agent", "recover", &name])
        )
    } else {
        format!(
            "`{}` shows the agent's log.",
            ctx.command(&["agent", "logs", &name])
        )
    };
    Err(AppError::Failed {
        what,
        hints: vec![hint],
    })
}

/// The command that opens an agent's session in its client, and the folder in which to run that command.
pub fn attach_command(
    store: &mut Store,
    ctx: &Context,
    name: &str,
) -> Result<(Vec<String>, PathBuf), AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    require_here(store, ctx, &row)?;
    let shown = row.address.seen_from(&row.address.home());
    if row.process.is_some() {
        return Err(AppError::Usage {
            what: format!("{shown} is running, and only one client at a time can use its session"),
            hints: vec![format!(
                "`{}` follows the agent's log; `{}` stops its turn.",
                ctx.command(&["agent", "logs", &shown, "--follow"]),
                ctx.command(&["agent", "interrupt", &shown])
            )],
        });
    }
    let Some(session) = &row.session else {
        return Err(AppError::NotFound {
            what: format!("{shown} has no session yet"),
            hints: Vec::new(),
        });
    };
    check_agents_can_sign_in(ctx)?;
    let words = client_of(&row)?.attach_command(&session.0);
    Ok((words, PathBuf::from(&row.directory)))
}

pub(super) fn client_of(row: &AgentRow) -> Result<Client, AppError> {
    let client = row.client.as_deref().and_then(Client::named);
    client.ok_or_else(|| AppError::NotFound {
        what: format!("@{}'s client is unknown", row.address),
        hints: Vec::new(),
    })
}

fn log_file(row: &AgentRow) -> Result<PathBuf, AppError> {
    row.log
        .as_ref()
        .map(PathBuf::from)
        .ok_or_else(|| AppError::NotFound {
            what: format!("Bugle did not start @{}, so there is no log", row.address),
            hints: Vec::new(),
        })
}

fn read_log(row: &AgentRow) -> Result<Vec<TranscriptItem>, AppError> {
    let path = log_file(row)?;
    let bytes = log_file::read(&path).map_err(|source| AppError::File {
        what: "cannot read",
        path,
        source,
    })?;
    let mut transcript = Transcript::new(client_of(row)?);
    let text = String::from_utf8_lossy(&bytes);
    let mut items: Vec<TranscriptItem> = text.lines().flat_map(|line| transcript.read(line)).collect();
    items.extend(transcript.rest());
    Ok(items)
}

/// Drops text that the turn's answer repeats, for views that show both.
pub(crate) fn without_repeated_answers(items: Vec<TranscriptItem>) -> Vec<TranscriptItem> {
    let mut kept: Vec<TranscriptItem> = Vec::with_capacity(items.len());
    for item in items {
        if let TranscriptItem::Final { text: answer } = &item
            && let Some(last) = kept
                .iter()
                .rposition(|before| !matches!(before, TranscriptItem::Cost { .. }))
            && matches!(&kept[last], TranscriptItem::Said { text } if text.trim() == answer.trim())
        {
            kept.remove(last);
        }
        kept.push(item);
    }
    kept
}
