//! The store of messages, in its one text of SQL.

use bugle_core::id::{MessageId, Timestamp, WakeupId};
use bugle_core::message::AgentAddress;

use super::{MessageFilter, MessageRow, MessageStore, NewMessage, Unread, UnreadRow, WakeupRow, wakeups};
use crate::StoreError;
use crate::sql::{Row, Sql, Value, transaction};
use crate::store::{ProjectId, SqlStore};

const MESSAGE_COLUMNS: &str = "message.id, message.seq, message.sender, message.body, message.said_at";

fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(what.to_string())
}

pub(super) fn whole(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(row.int(column)?).map_err(unreadable)
}

pub(super) fn bound(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn address(row: &Row, column: usize) -> Result<AgentAddress, StoreError> {
    row.text(column)?.parse().map_err(unreadable)
}

/// A message from its columns, and who it was for.
fn message_row<S: Sql>(sql: &mut S, row: &Row) -> Result<MessageRow, StoreError> {
    let id = MessageId::parse(&row.text(0)?).map_err(unreadable)?;
    let to = sql.query(
        "SELECT agent FROM delivery WHERE message_id = $1 ORDER BY project_id, agent",
        &[id.as_str().into()],
    )?;
    Ok(MessageRow {
        seq: whole(row, 1)?,
        sender: address(row, 2)?,
        text: row.text(3)?,
        at: Timestamp(row.int(4)?),
        to: to.iter().map(|row| address(row, 0)).collect::<Result<_, _>>()?,
        id,
    })
}

/// An agent as parameters 1 and 2.
fn mailbox(project: &ProjectId, agent: &AgentAddress) -> [Value; 2] {
    [project.0.as_str().into(), agent.to_string().as_str().into()]
}

/// How many messages an agent was given, and how many of them it has taken.
fn counts<S: Sql>(sql: &mut S, mailbox: &[Value; 2]) -> Result<(u64, u64), StoreError> {
    let statement = "SELECT delivered, taken FROM mailbox WHERE project_id = $1 AND agent = $2";
    let rows = sql.query(statement, mailbox)?;
    rows.first()
        .map_or(Ok((0, 0)), |row| Ok((whole(row, 0)?, whole(row, 1)?)))
}

fn make_mailbox<S: Sql>(sql: &mut S, mailbox: &[Value; 2]) -> Result<(), StoreError> {
    let statement = "INSERT INTO mailbox (project_id, agent, delivered, taken) VALUES ($1, $2, 0, 0) ON CONFLICT DO NOTHING";
    sql.execute(statement, mailbox).map(|_| ())
}

fn deliver<S: Sql>(sql: &mut S, mailbox: [Value; 2], message: &MessageId) -> Result<(), StoreError> {
    make_mailbox(sql, &mailbox)?;
    sql.execute(
        "UPDATE mailbox SET delivered = delivered + 1 WHERE project_id = $1 AND agent = $2",
        &mailbox,
    )?;
    let [project, agent] = mailbox;
    sql.execute(
        "INSERT INTO delivery (project_id, agent, seq, message_id) \
         SELECT project_id, agent, delivered, $3 FROM mailbox WHERE project_id = $1 AND agent = $2",
        &[project, agent, message.as_str().into()],
    )
    .map(|_| ())
}

impl<S: Sql> MessageStore for SqlStore<S> {
    fn post(&mut self, message: &NewMessage<'_>) -> Result<Option<MessageRow>, StoreError> {
        transaction(&mut self.sql, |sql| {
            let made = sql.execute(
                "INSERT INTO message (id, project_id, seq, sender, body, said_at) VALUES ($1, $2, \
                 (SELECT COALESCE(MAX(seq), 0) + 1 FROM message WHERE project_id = $2), $3, $4, $5) \
                 ON CONFLICT (id) DO NOTHING",
                &[
                    message.id.as_str().into(),
                    message.project.0.as_str().into(),
                    message.sender.to_string().as_str().into(),
                    message.text.into(),
                    message.at.0.into(),
                ],
            )?;
            if made == 0 {
                return Ok(None);
            }
            make_mailbox(sql, &mailbox(message.project, message.sender))?;
            for (project, agent) in message.to {
                deliver(sql, mailbox(project, agent), message.id)?;
            }
            let statement = format!("SELECT {MESSAGE_COLUMNS} FROM message WHERE id = $1");
            let rows = sql.query(&statement, &[message.id.as_str().into()])?;
            rows.first().map(|row| message_row(sql, row)).transpose()
        })
    }

    fn unread(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        limit: u32,
    ) -> Result<Unread, StoreError> {
        let mailbox = mailbox(project, agent);
        let (delivered, taken) = counts(&mut self.sql, &mailbox)?;
        if delivered == taken {
            return Ok(Unread::default());
        }
        let statement = format!(
            "SELECT {MESSAGE_COLUMNS}, delivery.seq FROM delivery JOIN message ON message.id = delivery.message_id \
             WHERE delivery.project_id = $1 AND delivery.agent = $2 AND delivery.seq > $3 \
             ORDER BY delivery.seq LIMIT $4"
        );
        let [project, agent] = mailbox;
        let parameters = [project, agent, bound(taken), Value::Int(i64::from(limit))];
        let mut rows = Vec::new();
        for row in self.sql.query(&statement, &parameters)? {
            rows.push(UnreadRow {
                place: whole(&row, 5)?,
                message: message_row(&mut self.sql, &row)?,
            });
        }
        let more = delivered.saturating_sub(taken).saturating_sub(rows.len() as u64);
        Ok(Unread { rows, more })
    }

    fn take(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        up_to: u64,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        transaction(&mut self.sql, |sql| {
            let mailbox = mailbox(project, agent);
            let (delivered, taken) = counts(sql, &mailbox)?;
            let up_to = up_to.min(delivered);
            if up_to <= taken {
                return Ok(0);
            }
            let [project, agent] = mailbox;
            sql.execute(
                "UPDATE delivery SET taken_at = $5 WHERE project_id = $1 AND agent = $2 AND seq > $3 AND seq <= $4",
                &[project.clone(), agent.clone(), bound(taken), bound(up_to), now.0.into()],
            )?;
            sql.execute(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2",
                &[project, agent, bound(up_to)],
            )?;
            Ok(up_to - taken)
        })
    }

    fn messages(
        &mut self,
        project: &ProjectId,
        filter: &MessageFilter<'_>,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let mut parameters = vec![project.0.as_str().into(), Value::Int(i64::from(filter.last))];
        let mut parameter = |agent: &AgentAddress| {
            parameters.push(agent.to_string().as_str().into());
            parameters.len()
        };
        let from = filter.from.map_or(String::new(), |from| {
            format!(" AND message.sender = ${}", parameter(from))
        });
        let source = match filter.to {
            Some(to) => format!(
                "delivery JOIN message ON message.id = delivery.message_id \
                 WHERE delivery.project_id = $1 AND delivery.agent = ${}{from} ORDER BY delivery.seq",
                parameter(to)
            ),
            None => format!("message WHERE message.project_id = $1{from} ORDER BY message.seq"),
        };
        let statement = format!("SELECT {MESSAGE_COLUMNS} FROM {source} DESC LIMIT $2");
        let rows = self.sql.query(&statement, &parameters)?;
        rows.iter()
            .rev()
            .map(|row| message_row(&mut self.sql, row))
            .collect()
    }

    fn correspondents(&mut self, project: &ProjectId) -> Result<Vec<AgentAddress>, StoreError> {
        let statement = "SELECT agent FROM mailbox WHERE project_id = $1 ORDER BY agent";
        let rows = self.sql.query(statement, &[project.0.as_str().into()])?;
        rows.iter().map(|row| address(row, 0)).collect()
    }

    fn places(&mut self) -> Result<Vec<(ProjectId, String)>, StoreError> {
        let rows = self
            .sql
            .query("SELECT id, place FROM project ORDER BY place", &[])?;
        rows.iter()
            .map(|row| Ok((ProjectId(row.text(0)?), row.text(1)?)))
            .collect()
    }

    fn keep_wakeup(&mut self, wakeup: &WakeupRow, content: &[u8]) -> Result<bool, StoreError> {
        wakeups::keep(&mut self.sql, wakeup, content)
    }

    fn wakeups(
        &mut self,
        project: &ProjectId,
        agent: Option<&str>,
        limit: u32,
    ) -> Result<Vec<WakeupRow>, StoreError> {
        wakeups::latest(&mut self.sql, project, agent, limit)
    }

    fn wakeups_by_prefix(&mut self, prefix: &str) -> Result<Vec<WakeupRow>, StoreError> {
        wakeups::by_prefix(&mut self.sql, prefix)
    }

    fn wakeup_content(&mut self, id: &WakeupId) -> Result<Option<Vec<u8>>, StoreError> {
        wakeups::content(&mut self.sql, id)
    }
}
