//! Bugle's own lines in an agent's log, between those of the client.

use serde_json::{Value, json};

use super::text;
use bugle_wire::TranscriptItem;

const TURN: &str = "bugle.turn";
const ERRORS: &str = "bugle.error";

/// The line that marks a new process.
pub fn turn_line(wakeup: &str) -> String {
    json!({ "type": TURN, "wakeup": wakeup }).to_string()
}

/// An error line: what a client printed for people, or what Bugle reports about it.
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
