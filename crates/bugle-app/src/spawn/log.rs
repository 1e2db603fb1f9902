//! What an agent's client printed, read from its log.

use std::path::PathBuf;

use bugle_store::AgentRow;
use bugle_wire::AgentLogView;
use bugle_wire::setup::Client;
use bugle_wire::transcript::{Transcript, TranscriptItem, attach_command};

use super::log_file;
use super::told::how_it_ended;
use crate::{App, AppError};

impl App {
    /// What an agent did, in the form that is the same for all clients: the last of it.
    pub fn agent_log(&mut self, name: &str, tail: Option<usize>) -> Result<AgentLogView, AppError> {
        let row = self.agent_called(name)?;
        let mut items = read_log(&row)?;
        let surplus = tail.map_or(0, |tail| items.len().saturating_sub(tail));
        items.drain(..surplus);
        Ok(AgentLogView {
            agent: row.address.to_string(),
            items,
            earlier: surplus > 0,
        })
    }

    /// Where an agent's log is and which client writes it.
    pub fn agent_log_file(&mut self, name: &str) -> Result<(PathBuf, Client), AppError> {
        let row = self.agent_called(name)?;
        Ok((log_file(&row)?, client_of(&row)?))
    }

    /// Whether an agent's process is running.
    pub fn agent_is_running(&mut self, name: &str) -> Result<bool, AppError> {
        Ok(self.agent_called(name)?.process.is_some())
    }

    /// The last answer of an agent, alone.
    pub fn agent_result(&mut self, name: &str) -> Result<String, AppError> {
        let row = self.agent_called(name)?;
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
            (Some(_), _) => format!("{name} is still at work"),
            (None, Some(error)) => format!("{name} gave no answer: {error}"),
            (None, None) => format!("{name} gave no answer: it {}", how_it_ended(row.exit_code)),
        };
        let hint = if row.process.is_none() && row.exit_code.is_none() {
            format!("`{}` tries again.", self.place.command(&["recover", &name]))
        } else {
            format!("`{}` shows what it did.", self.place.command(&["logs", &name]))
        };
        Err(AppError::Failed {
            what,
            hints: vec![hint],
        })
    }

    /// The command that opens an agent's session for a person.
    pub fn attach_words(&mut self, name: &str) -> Result<(Vec<String>, PathBuf), AppError> {
        let row = self.agent_called(name)?;
        let shown = row.address.seen_from(&row.address.home());
        if row.process.is_some() {
            return Err(AppError::Usage {
                what: format!("{shown} is at work, and two cannot work in one session"),
                hints: vec![format!(
                    "`{}` watches it; `{}` stops its turn.",
                    self.place.command(&["logs", &shown, "--follow"]),
                    self.place.command(&["interrupt", &shown])
                )],
            });
        }
        let Some(session) = &row.session else {
            return Err(AppError::NotFound {
                what: format!("{shown} has no session yet"),
                hints: Vec::new(),
            });
        };
        let words = attach_command(client_of(&row)?, &session.0);
        Ok((words, PathBuf::from(&row.directory)))
    }
}

pub(super) fn client_of(row: &AgentRow) -> Result<Client, AppError> {
    let client = row.client.as_deref().and_then(Client::named);
    client.ok_or_else(|| AppError::NotFound {
        what: format!("nobody knows which client @{} runs in", row.address),
        hints: Vec::new(),
    })
}

fn log_file(row: &AgentRow) -> Result<PathBuf, AppError> {
    row.log
        .as_ref()
        .map(PathBuf::from)
        .ok_or_else(|| AppError::NotFound {
            what: format!(
                "@{} was not started by Bugle, so there is no log of it",
                row.address
            ),
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

/// Without words that are said on the way and then again as the answer of the turn, for views that show both.
pub(crate) fn said_once(items: Vec<TranscriptItem>) -> Vec<TranscriptItem> {
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
