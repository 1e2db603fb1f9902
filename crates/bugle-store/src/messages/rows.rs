//! Reads messages from rows.

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::AgentAddress;

use super::MessageRow;
use crate::StoreError;
use crate::connection::Connection;
use crate::engine::LIST_SEPARATOR;
use crate::row::{Row, Value};

const MESSAGE_COLUMNS: &str = "message.id, message.seq, message.sender, message.body, message.said_at, \
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

/// The columns of a message, with its receivers.
pub(super) fn message_columns(db: &mut Connection) -> String {
    let receivers = db.engine().text_list(
        "receiver.asks || ' ' || receiver.agent",
        "receiver.project_id, receiver.agent",
    );
    format!(
        "{MESSAGE_COLUMNS}, (SELECT {receivers} FROM delivery AS receiver WHERE receiver.message_id = message.id) AS receivers"
    )
}

/// Reads a message and its receivers.
pub(super) fn message_row(row: &Row) -> Result<MessageRow, StoreError> {
    let id = MessageId::parse(&row.text("id")?).map_err(unreadable)?;
    let mut is_open = false;
    let mut to = Vec::new();
    for receiver in row
        .optional_text("receivers")?
        .iter()
        .flat_map(|all| all.split(LIST_SEPARATOR))
    {
        let (asks, agent) = receiver.split_once(' ').unwrap_or(("0", receiver));
        is_open |= asks != "0";
        to.push(agent.parse().map_err(unreadable)?);
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
        to,
        is_open,
        id,
    })
}
