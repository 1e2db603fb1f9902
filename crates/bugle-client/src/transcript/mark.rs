//! Bugle's own lines in an agent's log, among the client's lines.

use bugle_core::reply::TranscriptItem;
use serde_json::{Value, json};

use super::fields::text;

const TURN: &str = "bugle.turn";
const ERRORS: &str = "bugle.error";

/// The line that marks a new process.
pub fn turn_line(wakeup: &str) -> String {
    json!({ "type": TURN, "wakeup": wakeup }).to_string()
}

/// An error line: text that the client printed to stderr, or an error that Bugle reports about the client.
pub fn error_line(words: &str) -> String {
    json!({ "type": ERRORS, "text": words }).to_string()
}

pub(super) fn read(value: &Value) -> Option<TranscriptItem> {
    match text(value, "type")? {
        TURN => Some(TranscriptItem::Turn {
            wakeup: text(value, "wakeup").unwrap_or_default().to_owned(),
        }),
        ERRORS => Some(TranscriptItem::Error {
            text: text(value, "text").unwrap_or_default().to_owned(),
        }),
        _ => None,
    }
}
