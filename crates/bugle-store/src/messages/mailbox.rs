//! Mailboxes: an agent's read and unread messages.

use bugle_core::id::{MessageId, Timestamp};
use bugle_core::message::AgentAddress;

use super::{Unread, UnreadRow};
use crate::StoreError;
use crate::connection::Connection;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

use super::rows::{bound, message_columns, message_row, unreadable};

/// A mailbox's key as parameters 1 and 2.
pub(super) fn mailbox(project: &ProjectId, agent: &AgentAddress) -> [Value; 2] {
    [project.0.as_str().into(), agent.to_string().as_str().into()]
}

/// The number of messages in a mailbox, and how many of them were read. Locks the mailbox until the transaction ends.
fn locked_counts(db: &mut Connection, mailbox: &[Value; 2]) -> Result<(u64, u64), StoreError> {
    let lock = db.row_lock();
    let statement =
        format!("SELECT delivered, taken FROM mailbox WHERE project_id = $1 AND agent = $2{lock}");
    let rows = db.query(&statement, mailbox)?;
    rows.first().map_or(Ok((0, 0)), |row| {
        Ok((row.unsigned("delivered")?, row.unsigned("taken")?))
    })
}

pub(super) fn make_mailbox(db: &mut Connection, mailbox: &[Value; 2]) -> Result<(), StoreError> {
    let statement = "INSERT INTO mailbox (project_id, agent, delivered, taken) VALUES ($1, $2, 0, 0) ON CONFLICT DO NOTHING";
    db.write(statement, mailbox)
}

/// A message to be delivered to a mailbox.
#[derive(Clone, Copy)]
pub(super) struct Delivered {
    pub wakes: bool,
    pub asks: bool,
}

pub(super) fn deliver(
    db: &mut Connection,
    mailbox: [Value; 2],
    message: &MessageId,
    how: Delivered,
) -> Result<(), StoreError> {
    make_mailbox(db, &mailbox)?;
    let counted = if how.wakes {
        "UPDATE mailbox SET delivered = delivered + 1, wakes_at = delivered + 1 WHERE project_id = $1 AND agent = $2"
    } else {
        "UPDATE mailbox SET delivered = delivered + 1 WHERE project_id = $1 AND agent = $2"
    };
    db.write(counted, &mailbox)?;
    let [project, agent] = mailbox;
    db.write(
        "INSERT INTO delivery (project_id, agent, seq, message_id, asks) \
         SELECT project_id, agent, delivered, $3, $4 FROM mailbox WHERE project_id = $1 AND agent = $2",
        &[
            project,
            agent,
            message.as_str().into(),
            Value::Int(i64::from(how.asks)),
        ],
    )
}

/// Delivers a mailbox's unread messages to another mailbox, except messages already there, and marks them as read in
/// the first mailbox.
pub(crate) fn forward(
    db: &mut Connection,
    project: &ProjectId,
    from: &AgentAddress,
    to: &AgentAddress,
    now: Timestamp,
) -> Result<(), StoreError> {
    let [project_id, agent] = mailbox(project, from);
    let (delivered, taken) = locked_counts(db, &mailbox(project, from))?;
    if delivered == taken {
        return Ok(());
    }
    let rows = db.query(
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
        let message = MessageId::parse(&row.text("message_id")?).map_err(unreadable)?;
        let how = Delivered {
            wakes: true,
            asks: row.flag("asks")?,
        };
        deliver(db, mailbox(project, to), &message, how)?;
    }
    db.write(
        "UPDATE delivery SET taken_at = $4, asks = 0 WHERE project_id = $1 AND agent = $2 AND seq > $3",
        &[project_id.clone(), agent.clone(), bound(taken), now.0.into()],
    )?;
    db.write(
        "UPDATE mailbox SET taken = delivered WHERE project_id = $1 AND agent = $2",
        &[project_id, agent],
    )
}

impl Store {
    /// An agent's oldest unread messages, and how many more there are.
    pub fn unread(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        limit: u32,
    ) -> Result<Unread, StoreError> {
        let columns = message_columns(&mut self.connection);
        let statement = format!(
            "SELECT {columns}, delivery.seq AS place, mailbox.delivered - mailbox.taken AS unread, delivery.asks, \
             (SELECT question.body FROM message AS question WHERE question.id = message.answers) AS question FROM mailbox \
             JOIN delivery ON delivery.project_id = mailbox.project_id AND delivery.agent = mailbox.agent \
             AND delivery.seq > mailbox.taken JOIN message ON message.id = delivery.message_id \
             WHERE mailbox.project_id = $1 AND mailbox.agent = $2 ORDER BY delivery.seq LIMIT $3"
        );
        let [project, agent] = mailbox(project, agent);
        let parameters = [project, agent, Value::Int(i64::from(limit))];
        let found = self.connection.query(&statement, &parameters)?;
        let unread = found.first().map_or(Ok(0), |row| row.unsigned("unread"))?;
        let row = |row: &Row| {
            Ok(UnreadRow {
                place: row.unsigned("place")?,
                asks: row.flag("asks")?,
                question: row.optional_text("question")?,
                message: message_row(row)?,
            })
        };
        let rows: Vec<UnreadRow> = found.iter().map(row).collect::<Result<_, StoreError>>()?;
        let more = unread.saturating_sub(rows.len() as u64);
        Ok(Unread { rows, more })
    }

    /// Marks all messages up to a sequence number as read. Returns how many of them were unread. Call this in the same
    /// transaction as [`Store::unread`], so that no other reader gets the same messages.
    pub fn take(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        up_to: u64,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.connection.transaction(|db| {
            let mailbox = mailbox(project, agent);
            let (delivered, taken) = locked_counts(db, &mailbox)?;
            let up_to = up_to.min(delivered);
            if up_to <= taken {
                return Ok(0);
            }
            let [project, agent] = mailbox;
            db.write(
                "UPDATE delivery SET taken_at = $5 WHERE project_id = $1 AND agent = $2 AND seq > $3 AND seq <= $4",
                &[project.clone(), agent.clone(), bound(taken), bound(up_to), now.0.into()],
            )?;
            db.write(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2",
                &[project, agent, bound(up_to)],
            )?;
            Ok(up_to - taken)
        })
    }

    /// Marks one message in a mailbox as read, even if older messages are unread. Returns false if the message is not
    /// there or was already read.
    pub fn take_one(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        message: &MessageId,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.connection.transaction(|db| {
            let mailbox = mailbox(project, agent);
            let (_, taken) = locked_counts(db, &mailbox)?;
            let [project, agent] = mailbox;
            let rows = db.query(
                "SELECT seq FROM delivery WHERE message_id = $3 AND project_id = $1 AND agent = $2 AND seq > $4",
                &[project.clone(), agent.clone(), message.as_str().into(), bound(taken)],
            )?;
            let Some(row) = rows.first() else {
                return Ok(false);
            };
            let found = row.unsigned("seq")?;
            // Read messages precede unread messages, so this message moves to the end of the read ones. Sequence
            // numbers must be unique after every statement.
            let mut update = |change: &str, among: &str, parameters: &[u64]| {
                let statement =
                    format!("UPDATE delivery SET {change} WHERE project_id = $1 AND agent = $2 AND {among}");
                let owner = [project.clone(), agent.clone()];
                let all: Vec<Value> = owner
                    .into_iter()
                    .chain(parameters.iter().map(|number| bound(*number)))
                    .collect();
                db.execute(&statement, &all)
            };
            update("seq = 0", "seq = $3", &[found])?;
            update("seq = -seq", "seq > $3 AND seq < $4", &[taken, found])?;
            update("seq = 1 - seq", "seq < 0", &[])?;
            update("seq = $3", "seq = 0", &[taken + 1])?;
            db.write(
                "UPDATE delivery SET taken_at = $4 WHERE project_id = $1 AND agent = $2 AND seq = $3",
                &[project.clone(), agent.clone(), bound(taken + 1), now.0.into()],
            )?;
            db.write(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2",
                &[project, agent, bound(taken + 1)],
            )?;
            Ok(true)
        })
    }

    /// The sequence number of the last unread message that wakes an agent.
    pub fn last_wake_seq(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
    ) -> Result<Option<u64>, StoreError> {
        let rows = self.connection.query(
            "SELECT wakes_at FROM mailbox WHERE project_id = $1 AND agent = $2 AND wakes_at > taken",
            &mailbox(project, agent),
        )?;
        rows.first().map(|row| row.unsigned("wakes_at")).transpose()
    }
}
