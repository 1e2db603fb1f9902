//! Parses the output of clients that run without a terminal into one format.
//!
//! Every client prints lines of JSON in its own format. [`Transcript`] reads one line at a time, so that the user can
//! follow the log of a running agent. It skips unknown lines, because newer clients may add more kinds.

mod mark;

use bugle_wire::TranscriptItem;
use serde_json::Value;

pub use mark::{error_line, turn_line};

use crate::Client;

/// Parses a client's output.
#[derive(Debug, Clone)]
pub struct Transcript {
    client: Client,
    session: Option<String>,
    /// The last message, which becomes the answer if the turn ends now.
    pub(crate) last_said: Option<String>,
    /// The text so far of a message that arrives in pieces.
    pub(crate) piece: Option<String>,
}

impl Transcript {
    /// An empty transcript.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            session: None,
            last_said: None,
            piece: None,
        }
    }

    /// Parses one more line into items.
    pub fn read(&mut self, line: &str) -> Vec<TranscriptItem> {
        let line = line.trim();
        if line.is_empty() {
            return Vec::new();
        }
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            // Clients print warnings between lines of JSON.
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
        (self.client.facts().transcript_items)(self, &value)
    }

    /// The remaining items at the end of the output.
    pub fn rest(&mut self) -> Vec<TranscriptItem> {
        self.piece
            .take()
            .map(|text| self.said(text))
            .into_iter()
            .collect()
    }

    pub(crate) fn session(&mut self, id: Option<&str>) -> Option<TranscriptItem> {
        let id = id.filter(|id| !id.is_empty())?;
        if self.session.as_deref() == Some(id) {
            return None;
        }
        self.session = Some(id.to_owned());
        Some(TranscriptItem::SessionIs { id: id.to_owned() })
    }

    pub(crate) fn said(&mut self, text: String) -> TranscriptItem {
        self.last_said = Some(text.clone());
        TranscriptItem::Said { text }
    }

    /// Ends the turn: the last message is the answer.
    pub(crate) fn answered(&mut self) -> Option<TranscriptItem> {
        self.last_said.take().map(|text| TranscriptItem::Final { text })
    }
}

/// A field's value, if it is a string.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// A tool's input: the most informative field, or else the whole input.
pub(crate) fn input(value: &Value) -> String {
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

/// The text of a string or of a list of text blocks; other values as JSON.
pub(crate) fn words(value: &Value) -> String {
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

/// Converts dollars to millionths of a dollar.
pub(crate) fn millionths(value: Option<&Value>) -> u64 {
    let dollars = value.and_then(Value::as_f64).unwrap_or_default();
    format!("{:.0}", dollars.max(0.0) * 1_000_000.0)
        .parse()
        .unwrap_or_default()
}

pub(crate) fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}
