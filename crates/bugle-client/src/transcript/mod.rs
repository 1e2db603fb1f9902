//! Parses the output of clients that run without a terminal into one format.
//!
//! Every client prints lines of JSON in its own format. [`Transcript`] reads one line at a time, so that the user can
//! follow the log of a running agent. It skips unknown lines, because newer clients may add more kinds.

mod fields;
mod mark;

use bugle_core::reply::TranscriptItem;
use serde_json::Value;

pub(crate) use fields::{input, millionths, number, text, words};
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
