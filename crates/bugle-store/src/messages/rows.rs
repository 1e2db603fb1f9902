//! Reads messages from rows.

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::AgentAddress;

use super::MessageRow;
use crate::StoreError;
use crate::connection::Connection;
use crate::row::{Row, Value};

pub(super) const MESSAGE_COLUMNS: &str = "message.id, message.seq, message.sender, message.body, message.said_at, \
     message.kind, message.answers, CASE WHEN message.person IS NOT NULL THEN \
     COALESCE((SELECT member.name FROM member WHERE member.person = message.person), message.person) END AS person_name";

pub(super) fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(what.to_string())
}

pub(super) fn bound(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) fn address(row: &Row, column: &str) -> Result<AgentAddress, StoreError> {
    row.text(column)?.parse().map_err(unreadable)
}

/// Reads a message and its receivers.
pub(super) fn message_row(db: &mut Connection, row: &Row) -> Result<MessageRow, StoreError> {
    let id = MessageId::parse(&row.text("id")?).map_err(unreadable)?;
    let to = db.query(
        "SELECT agent, asks FROM delivery WHERE message_id = $1 ORDER BY project_id, agent",
        &[id.as_str().into()],
    )?;
    let mut is_open = false;
    for row in &to {
        is_open |= row.flag("asks")?;
    }
    Ok(MessageRow {
        seq: row.unsigned("seq")?,
        sender: address(row, "sender")?,
        person: row.optional_text("person_name")?,
        text: row.text("body")?,
        at: Timestamp(row.int("said_at")?),
        kind: row
            .text("kind")?
            .parse()
            .map_err(|()| unreadable("a message has an unknown kind"))?,
        answers: row
            .optional_text("answers")?
            .map(|id| MessageId::parse(&id).map_err(unreadable))
            .transpose()?,
        to: to
            .iter()
            .map(|row| address(row, "agent"))
            .collect::<Result<_, _>>()?,
        is_open,
        id,
    })
}
