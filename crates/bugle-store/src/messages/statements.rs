//! The store of messages, in its one text of SQL.

use bugle_core::id::{MessageId, Timestamp, WakeupId};
use bugle_core::message::{AgentAddress, MessageKind};

use super::{
    MessageFilter, MessageRow, MessageStore, NewMessage, Receiver, Unread, UnreadRow, WakeupRow, wakeups,
};
use crate::StoreError;
use crate::chain::{StoreChain, message_link};
use crate::sql::{Row, Sql, Value, transaction};
use crate::store::{ProjectId, SqlStore};

const MESSAGE_COLUMNS: &str = "message.id, message.seq, message.sender, message.body, message.said_at, \
     message.kind, message.answers";

/// How many are found at most by the beginning of an id, or of open questions.
const A_FEW: u32 = 10;

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
        "SELECT agent, asks FROM delivery WHERE message_id = $1 ORDER BY project_id, agent",
        &[id.as_str().into()],
    )?;
    let mut is_open = false;
    for row in &to {
        is_open |= row.int(1)? != 0;
    }
    Ok(MessageRow {
        seq: whole(row, 1)?,
        sender: address(row, 2)?,
        text: row.text(3)?,
        at: Timestamp(row.int(4)?),
        kind: row
            .text(5)?
            .parse()
            .map_err(|()| unreadable("a message is of no kind"))?,
        answers: row
            .optional_text(6)?
            .map(|id| MessageId::parse(&id).map_err(unreadable))
            .transpose()?,
        to: to.iter().map(|row| address(row, 0)).collect::<Result<_, _>>()?,
        is_open,
        id,
    })
}

/// The messages that fit.
pub(crate) fn rows_where<S: Sql>(
    sql: &mut S,
    rest: &str,
    parameters: &[Value],
) -> Result<Vec<MessageRow>, StoreError> {
    let statement = format!("SELECT {MESSAGE_COLUMNS} FROM message {rest}");
    let rows = sql.query(&statement, parameters)?;
    rows.iter().map(|row| message_row(sql, row)).collect()
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

/// How a message is put into a mailbox.
#[derive(Clone, Copy)]
struct Delivered {
    wakes: bool,
    asks: bool,
}

fn deliver<S: Sql>(
    sql: &mut S,
    mailbox: [Value; 2],
    message: &MessageId,
    how: Delivered,
) -> Result<(), StoreError> {
    make_mailbox(sql, &mailbox)?;
    let counted = if how.wakes {
        "UPDATE mailbox SET delivered = delivered + 1, wakes_at = delivered + 1 WHERE project_id = $1 AND agent = $2"
    } else {
        "UPDATE mailbox SET delivered = delivered + 1 WHERE project_id = $1 AND agent = $2"
    };
    sql.execute(counted, &mailbox)?;
    let [project, agent] = mailbox;
    sql.execute(
        "INSERT INTO delivery (project_id, agent, seq, message_id, asks) \
         SELECT project_id, agent, delivered, $3, $4 FROM mailbox WHERE project_id = $1 AND agent = $2",
        &[
            project,
            agent,
            message.as_str().into(),
            Value::Int(i64::from(how.asks)),
        ],
    )
    .map(|_| ())
}

/// What was not taken from one mailbox is delivered to another, unless it is there already, and counts as taken here.
pub(crate) fn forward<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    from: &AgentAddress,
    to: &AgentAddress,
    now: Timestamp,
) -> Result<(), StoreError> {
    let [project_id, agent] = mailbox(project, from);
    let (delivered, taken) = counts(sql, &mailbox(project, from))?;
    if delivered == taken {
        return Ok(());
    }
    let rows = sql.query(
        "SELECT delivery.message_id, delivery.asks FROM delivery \
         WHERE delivery.project_id = $1 AND delivery.agent = $2 AND delivery.seq > $3 AND NOT EXISTS \
         (SELECT 1 FROM delivery AS other WHERE other.message_id = delivery.message_id AND other.project_id = $1 \
          AND other.agent = $4) ORDER BY delivery.seq",
        &[
            project_id.clone(),
            agent.clone(),
            bound(taken),
            to.to_string().as_str().into(),
        ],
    )?;
    for row in rows {
        let message = MessageId::parse(&row.text(0)?).map_err(unreadable)?;
        let how = Delivered {
            wakes: true,
            asks: row.int(1)? != 0,
        };
        deliver(sql, mailbox(project, to), &message, how)?;
    }
    sql.execute(
        "UPDATE delivery SET taken_at = $4, asks = 0 WHERE project_id = $1 AND agent = $2 AND seq > $3",
        &[project_id.clone(), agent.clone(), bound(taken), now.0.into()],
    )?;
    sql.execute(
        "UPDATE mailbox SET taken = delivered WHERE project_id = $1 AND agent = $2",
        &[project_id, agent],
    )
    .map(|_| ())
}

impl<S: Sql> MessageStore for SqlStore<S> {
    fn post(&mut self, message: &NewMessage<'_>) -> Result<Option<MessageRow>, StoreError> {
        transaction(&mut self.sql, |sql| {
            let (length, before) = StoreChain::Messages.end(sql)?;
            let link = length.saturating_add(1);
            let linked: [Value; 8] = [
                Value::Int(link),
                message.id.as_str().into(),
                message.sender.to_string().as_str().into(),
                message.text.into(),
                message.at.0.into(),
                message.kind.as_str().into(),
                message.answers.map(MessageId::as_str).into(),
                Value::Int(i64::try_from(message.to.len()).unwrap_or(i64::MAX)),
            ];
            let hash = message_link(&before, &Row(linked.to_vec()))?;
            let others = [
                message.project.0.as_str().into(),
                message.branch.into(),
                hash.as_str().into(),
            ];
            let made = sql.execute(
                "INSERT INTO message (link, id, sender, body, said_at, kind, answers, receivers, project_id, branch, hash, seq) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
                 (SELECT COALESCE(MAX(seq), 0) + 1 FROM message WHERE project_id = $9)) ON CONFLICT (id) DO NOTHING",
                &linked.into_iter().chain(others).collect::<Vec<_>>(),
            )?;
            if made == 0 {
                return Ok(None);
            }
            StoreChain::Messages.set_end(sql, link, &hash)?;
            make_mailbox(sql, &mailbox(message.project, message.sender))?;
            for Receiver {
                project,
                agent,
                wakes,
            } in message.to
            {
                let how = Delivered {
                    wakes: *wakes,
                    asks: message.kind == MessageKind::Ask,
                };
                deliver(sql, mailbox(project, agent), message.id, how)?;
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
                place: whole(&row, 7)?,
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

    fn take_one(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        message: &MessageId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        transaction(&mut self.sql, |sql| {
            let mailbox = mailbox(project, agent);
            let (_, taken) = counts(sql, &mailbox)?;
            let [project, agent] = mailbox;
            let rows = sql.query(
                "SELECT seq FROM delivery WHERE message_id = $3 AND project_id = $1 AND agent = $2 AND seq > $4",
                &[project.clone(), agent.clone(), message.as_str().into(), bound(taken)],
            )?;
            let Some(row) = rows.first() else {
                return Ok(false);
            };
            let found = whole(row, 0)?;
            // What was taken comes first: this one goes before those that were not. No two have one place meanwhile.
            let mut update = |change: &str, among: &str, parameters: &[u64]| {
                let statement =
                    format!("UPDATE delivery SET {change} WHERE project_id = $1 AND agent = $2 AND {among}");
                let owner = [project.clone(), agent.clone()];
                let all: Vec<Value> = owner
                    .into_iter()
                    .chain(parameters.iter().map(|number| bound(*number)))
                    .collect();
                sql.execute(&statement, &all)
            };
            update("seq = 0", "seq = $3", &[found])?;
            update("seq = -seq", "seq > $3 AND seq < $4", &[taken, found])?;
            update("seq = 1 - seq", "seq < 0", &[])?;
            update("seq = $3", "seq = 0", &[taken + 1])?;
            sql.execute(
                "UPDATE delivery SET taken_at = $4 WHERE project_id = $1 AND agent = $2 AND seq = $3",
                &[project.clone(), agent.clone(), bound(taken + 1), now.0.into()],
            )?;
            sql.execute(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2",
                &[project, agent, bound(taken + 1)],
            )?;
            Ok(true)
        })
    }

    fn messages(
        &mut self,
        project: &ProjectId,
        filter: &MessageFilter<'_>,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let mut parameters = vec![project.0.as_str().into(), Value::Int(i64::from(filter.last))];
        let mut parameter = |text: &str| {
            parameters.push(text.into());
            parameters.len()
        };
        let mut from = filter.from.map_or(String::new(), |from| {
            format!(" AND message.sender = ${}", parameter(&from.to_string()))
        });
        match filter.taken {
            Some(true) if filter.to.is_some() => from.push_str(" AND delivery.taken_at IS NOT NULL"),
            Some(false) if filter.to.is_some() => from.push_str(" AND delivery.taken_at IS NULL"),
            _ => {}
        }
        if let Some(branch) = filter.branch {
            from.push_str(&format!(" AND message.branch = ${}", parameter(branch)));
        }
        let source = match filter.to {
            Some(to) => format!(
                "delivery JOIN message ON message.id = delivery.message_id \
                 WHERE delivery.project_id = $1 AND delivery.agent = ${}{from} ORDER BY delivery.seq",
                parameter(&to.to_string())
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

    fn called_at(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<Option<u64>, StoreError> {
        let rows = self.sql.query(
            "SELECT wakes_at FROM mailbox WHERE project_id = $1 AND agent = $2 AND wakes_at > taken",
            &mailbox(project, agent),
        )?;
        rows.first().map(|row| whole(row, 0)).transpose()
    }

    fn messages_by_prefix(&mut self, prefix: &str) -> Result<Vec<MessageRow>, StoreError> {
        // The ids are a-z and 0-9 throughout, so everything with this beginning lies before it with a `~`.
        let rest = format!("WHERE id >= $1 AND id < $2 ORDER BY id LIMIT {A_FEW}");
        rows_where(
            &mut self.sql,
            &rest,
            &[prefix.into(), format!("{prefix}~").as_str().into()],
        )
    }

    fn open_questions(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let statement = format!(
            "SELECT {MESSAGE_COLUMNS} FROM delivery JOIN message ON message.id = delivery.message_id \
             WHERE delivery.project_id = $1 AND delivery.agent = $2 AND delivery.asks = 1 \
             ORDER BY delivery.seq DESC LIMIT {A_FEW}"
        );
        let rows = self.sql.query(&statement, &mailbox(project, agent))?;
        rows.iter().map(|row| message_row(&mut self.sql, row)).collect()
    }

    fn is_asked(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        question: &MessageId,
    ) -> Result<bool, StoreError> {
        let [project, agent] = mailbox(project, agent);
        let rows = self.sql.query(
            "SELECT 1 FROM delivery WHERE message_id = $3 AND project_id = $1 AND agent = $2 AND asks = 1",
            &[project, agent, question.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    fn close_question(&mut self, question: &MessageId) -> Result<bool, StoreError> {
        let closed = self.sql.execute(
            "UPDATE delivery SET asks = 0 WHERE message_id = $1 AND asks = 1",
            &[question.as_str().into()],
        )?;
        Ok(closed > 0)
    }

    fn correspondents(&mut self, project: &ProjectId) -> Result<Vec<AgentAddress>, StoreError> {
        // Somebody who was only spoken to may be a slip of the pen: who has read or said something is known.
        let statement = "SELECT agent FROM mailbox WHERE project_id = $1 AND (taken > 0 OR EXISTS (SELECT 1 FROM \
             message WHERE message.project_id = $1 AND message.sender = mailbox.agent)) AND NOT EXISTS (SELECT 1 FROM agent \
             WHERE agent.project_id = $1 AND agent.address = mailbox.agent AND agent.renamed IS NOT NULL) \
             UNION SELECT address FROM agent WHERE project_id = $1 AND renamed IS NULL ORDER BY 1";
        let rows = self.sql.query(statement, &[project.0.as_str().into()])?;
        rows.iter().map(|row| address(row, 0)).collect()
    }

    fn branches(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<String> = Vec::new();
        loop {
            // One look into the index for each branch, however much was said on it.
            let rows = self.sql.query(
                "SELECT MIN(branch) FROM message WHERE project_id = $1 AND branch > $2",
                &[
                    project.0.as_str().into(),
                    found.last().map_or("", String::as_str).into(),
                ],
            )?;
            match rows
                .first()
                .map(|row| row.optional_text(0))
                .transpose()?
                .flatten()
            {
                Some(branch) => found.push(branch),
                None => return Ok(found),
            }
        }
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
