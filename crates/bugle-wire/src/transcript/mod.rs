//! Clients that are run without a terminal: the words that start them, and what they print, read into one normal form.
//!
//! Every client prints lines of JSON, each its own. [`Transcript`] reads them one by one, so that a running agent can be
//! followed; what it does not know it passes over, because clients print more with every version.

mod claude;
mod codex;
mod command;
mod gemini;
mod mark;
mod opencode;

use serde::Serialize;
use serde_json::Value;

pub use command::{Access, Errand, Session, attach_command, run_command};
pub use mark::{error_line, turn_line};

use crate::setup::Client;

/// Something that an agent did, said or cost, whatever the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TranscriptItem {
    /// A process was started for the agent, with this wake-up as its prompt.
    Turn {
        /// The wake-up.
        wakeup: String,
    },
    /// The client says which session this is.
    SessionIs {
        /// Its id, with which it can be taken up again.
        id: String,
    },
    /// The agent said something on its way.
    Said {
        /// What.
        text: String,
    },
    /// The agent used a tool.
    ToolUsed {
        /// Which.
        tool: String,
        /// With what: a command, a file, or else the input as JSON.
        input: String,
    },
    /// What a tool answered.
    ToolResult {
        /// The answer.
        output: String,
        /// Whether the tool failed.
        failed: bool,
    },
    /// What was used up since the last time it was told.
    Cost {
        /// Tokens, those from a cache too.
        tokens: u64,
        /// Millionths of a dollar, where the client says how much.
        cost: u64,
    },
    /// The last words of a turn: its answer.
    Final {
        /// The answer.
        text: String,
    },
    /// The client could not go on.
    Error {
        /// Why, in its own words.
        text: String,
    },
}

/// Reads what a client prints.
#[derive(Debug, Clone)]
pub struct Transcript {
    client: Client,
    session: Option<String>,
    /// What was said last and may turn out to be the answer.
    last_said: Option<String>,
    /// A text that comes in pieces, as far as it has come.
    piece: Option<String>,
}

impl Transcript {
    /// Nothing was printed yet.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            session: None,
            last_said: None,
            piece: None,
        }
    }

    /// What one more line tells.
    pub fn read(&mut self, line: &str) -> Vec<TranscriptItem> {
        let line = line.trim();
        if line.is_empty() {
            return Vec::new();
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            // Clients warn in plain words between their lines of JSON.
            return Vec::new();
        };
        if let Some(item) = mark::read(&value) {
            let mut items = self.rest();
            if matches!(item, TranscriptItem::Turn { .. }) {
                *self = Self::new(self.client);
            }
            items.push(item);
            return items;
        }
        match self.client {
            Client::Claude => claude::read(self, &value),
            Client::Codex => codex::read(self, &value),
            Client::Gemini => gemini::read(self, &value),
            Client::Opencode => opencode::read(self, &value),
        }
    }

    /// What is still to be told when nothing more is printed.
    pub fn rest(&mut self) -> Vec<TranscriptItem> {
        self.piece
            .take()
            .map(|text| self.said(text))
            .into_iter()
            .collect()
    }

    fn session(&mut self, id: Option<&str>) -> Option<TranscriptItem> {
        let id = id.filter(|id| !id.is_empty())?;
        if self.session.as_deref() == Some(id) {
            return None;
        }
        self.session = Some(id.to_owned());
        Some(TranscriptItem::SessionIs { id: id.to_owned() })
    }

    fn said(&mut self, text: String) -> TranscriptItem {
        self.last_said = Some(text.clone());
        TranscriptItem::Said { text }
    }

    /// What was said last is the answer, now that the turn is over.
    fn answered(&mut self) -> Option<TranscriptItem> {
        self.last_said.take().map(|text| TranscriptItem::Final { text })
    }
}

/// A field that is text.
fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// What a tool was used with, in the words that tell most.
fn input(value: &Value) -> String {
    for name in ["command", "cmd", "file_path", "path", "pattern", "url"] {
        match value.get(name) {
            Some(Value::String(text)) => return text.clone(),
            Some(Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                return words.join(" ");
            }
            _ => {}
        }
    }
    if value.is_null() {
        String::new()
    } else {
        value.to_string()
    }
}

/// Words out of a text, of blocks of text, or of anything else.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Vec<String> = blocks
                .iter()
                .map(|block| {
                    let plain = block.as_str().or_else(|| text(block, "text"));
                    plain.map_or_else(|| block.to_string(), str::to_owned)
                })
                .collect();
            texts.join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Dollars in millionths.
fn millionths(value: Option<&Value>) -> u64 {
    let dollars = value.and_then(Value::as_f64).unwrap_or_default();
    format!("{:.0}", dollars.max(0.0) * 1_000_000.0)
        .parse()
        .unwrap_or_default()
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}
