//! Message queries and updates.

use bugle_core::id::MessageId;
use bugle_core::message::{AgentAddress, MessageKind};

use super::{MessageFilter, MessageRow, NewMessage, Receiver, UnreadRow};
use crate::StoreError;
use crate::chain::{MESSAGE_COLUMNS as LINKED_COLUMNS, StoreChain, message_link};
use crate::connection::Connection;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

use super::mailbox::{Delivered, deliver, mailbox, make_mailbox};
use super::rows::{address, message_columns, message_row};

/// Maximum number of rows for an id prefix or a list of open questions.
const MAX_MATCHES: u32 = 10;

/// The messages that match a condition.
pub(crate) fn rows_where(
    db: &mut Connection,
    rest: &str,
    parameters: &[Value],
) -> Result<Vec<MessageRow>, StoreError> {
    let statement = format!("SELECT {} FROM message {rest}", message_columns(db));
    db.query(&statement, parameters)?
        .iter()
        .map(message_row)
        .collect()
}

impl Store {
    /// Stores and delivers a message in one transaction. Returns `None` and writes nothing if its id is taken.
    pub fn post(&mut self, message: &NewMessage<'_>) -> Result<Option<MessageRow>, StoreError> {
        self.connection.transaction(|db| {
            let (length, before) = StoreChain::Messages.locked_end(db)?;
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
            let hash = message_link(&before, &Row::of(LINKED_COLUMNS, linked.to_vec()))?;
            let others = [
                message.project.0.as_str().into(),
                message.branch.into(),
                hash.as_str().into(),
            ];
            let made = db.execute(
                "INSERT INTO message (link, id, sender, body, said_at, kind, answers, receivers, project_id, branch, hash, seq) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, \
                 (SELECT COALESCE(MAX(seq), 0) + 1 FROM message WHERE project_id = $9)) ON CONFLICT (id) DO NOTHING",
                &linked.into_iter().chain(others).collect::<Vec<_>>(),
            )?;
            if made == 0 {
                return Ok(None);
            }
            db.set_witness(
                "SELECT 1 FROM message WHERE id = $1 AND hash = $2",
                vec![message.id.as_str().into(), hash.as_str().into()],
            );
            StoreChain::Messages.set_end(db, link, &hash)?;
            make_mailbox(db, &mailbox(message.project, message.sender))?;
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
                deliver(db, mailbox(project, agent), message.id, how)?;
            }
            let rows = rows_where(db, "WHERE id = $1", &[message.id.as_str().into()])?;
            Ok(rows.into_iter().next())
        })
    }

    /// A project's last matching messages, oldest first.
    pub fn messages(
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
        let columns = message_columns(&mut self.connection);
        let statement = format!("SELECT {columns} FROM {source} DESC LIMIT $2");
        let rows = self.connection.query(&statement, &parameters)?;
        rows.iter().rev().map(message_row).collect()
    }

    /// The first few messages whose id has this prefix.
    pub fn messages_by_prefix(&mut self, prefix: &str) -> Result<Vec<MessageRow>, StoreError> {
        // Ids consist of a-z and 0-9, so every id with this prefix sorts before the prefix followed by `~`.
        let rest = format!("WHERE id >= $1 AND id < $2 ORDER BY id LIMIT {MAX_MATCHES}");
        rows_where(
            &mut self.connection,
            &rest,
            &[prefix.into(), format!("{prefix}~").as_str().into()],
        )
    }

    /// The latest open questions to an agent, newest first, without those in `known`.
    pub fn open_questions(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        known: &[UnreadRow],
    ) -> Result<Vec<MessageRow>, StoreError> {
        let columns = message_columns(&mut self.connection);
        let statement = format!(
            "SELECT {columns} FROM delivery JOIN message ON message.id = delivery.message_id \
             WHERE delivery.project_id = $1 AND delivery.agent = $2 AND delivery.asks = 1 \
             ORDER BY delivery.seq DESC LIMIT {MAX_MATCHES}"
        );
        let mut questions = Vec::new();
        for row in self.connection.query(&statement, &mailbox(project, agent))? {
            let id = row.text("id")?;
            if known.iter().all(|known| known.message.id.as_str() != id) {
                questions.push(message_row(&row)?);
            }
        }
        Ok(questions)
    }

    /// Whether a message is an open question to this agent.
    pub fn is_asked(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        question: &MessageId,
    ) -> Result<bool, StoreError> {
        let [project, agent] = mailbox(project, agent);
        let rows = self.connection.query(
            "SELECT 1 FROM delivery WHERE message_id = $3 AND project_id = $1 AND agent = $2 AND asks = 1",
            &[project, agent, question.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }

    /// Marks a question as answered. Returns false if it already was.
    pub fn close_question(&mut self, question: &MessageId) -> Result<bool, StoreError> {
        let closed = self.connection.execute(
            "UPDATE delivery SET asks = 0 WHERE message_id = $1 AND asks = 1",
            &[question.as_str().into()],
        )?;
        Ok(closed > 0)
    }

    /// All of a project's agents and correspondents, sorted by address, under their current names.
    pub fn correspondents(&mut self, project: &ProjectId) -> Result<Vec<AgentAddress>, StoreError> {
        // An address that only received messages may be a typo, so only addresses that sent or read a message count.
        let statement = "SELECT agent FROM mailbox WHERE project_id = $1 AND (taken > 0 OR EXISTS (SELECT 1 FROM \
             message WHERE message.project_id = $1 AND message.sender = mailbox.agent)) AND NOT EXISTS (SELECT 1 FROM agent \
             WHERE agent.project_id = $1 AND agent.address = mailbox.agent AND agent.renamed IS NOT NULL) \
             UNION SELECT address FROM agent WHERE project_id = $1 AND renamed IS NULL ORDER BY 1";
        let rows = self.connection.query(statement, &[project.0.as_str().into()])?;
        rows.iter().map(|row| address(row, "agent")).collect()
    }

    /// The branches of a project that have messages, sorted by name.
    pub fn branches(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<String> = Vec::new();
        loop {
            // One index lookup per branch.
            let rows = self.connection.query(
                "SELECT MIN(branch) AS branch FROM message WHERE project_id = $1 AND branch > $2",
                &[
                    project.0.as_str().into(),
                    found.last().map_or("", String::as_str).into(),
                ],
            )?;
            match rows
                .first()
                .map(|row| row.optional_text("branch"))
                .transpose()?
                .flatten()
            {
                Some(branch) => found.push(branch),
                None => return Ok(found),
            }
        }
    }
}
