//! Prompt deliveries to agents' clients: the state of each delivery and how to start the client.
//!
//! An agent has at most one delivery. Storing a delivery marks its messages as read. Callers change a delivery inside
//! [`Store::transaction`], so that only one process can claim it.

use bugle_core::agent::Delivery;
use bugle_core::id::{Timestamp, WakeupId};
use bugle_core::message::AgentAddress;

use crate::StoreError;
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

/// The delivery of an agent's latest prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    /// The agent's project.
    pub project: ProjectId,
    /// The agent.
    pub agent: AgentAddress,
    /// The model to start the client with.
    pub model: Option<String>,
    /// Extra arguments for the client.
    pub arguments: Vec<String>,
    /// The wake-up whose text is the prompt; `None` before the agent's first wake-up.
    pub wakeup: Option<WakeupId>,
    /// The delivery's state.
    pub state: Delivery,
    /// Whether the client must start a new session.
    pub is_new_session: bool,
    /// The messages in the prompt.
    pub mail: Option<MailRange>,
    /// When the delivery's state last changed.
    pub changed_at: Timestamp,
}

/// A range of sequence numbers in an agent's mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailRange {
    /// The sequence number just before the first message.
    pub after: u64,
    /// The sequence number of the last message.
    pub up_to: u64,
}

impl MailRange {
    /// The empty range after a sequence number.
    pub fn empty(place: u64) -> Self {
        Self {
            after: place,
            up_to: place,
        }
    }
}

const COLUMNS: &str = "project_id, agent, model, arguments, wakeup_id, state, is_new_session, told_after, told_up_to, \
     changed_at";

fn bad(what: &str) -> StoreError {
    StoreError::Unreadable(format!("a delivery has an invalid {what}"))
}

fn number(place: u64) -> Value {
    Value::Int(i64::try_from(place).unwrap_or(i64::MAX))
}

/// Reads a delivery. `changed_at` is the name of the delivery's own `changed_at` column in the result, because joined
/// tables also have a column with that name.
pub(crate) fn delivery_row(row: &Row, changed_at: &str) -> Result<DeliveryRow, StoreError> {
    let mail = MailRange {
        after: row.unsigned("told_after")?,
        up_to: row.unsigned("told_up_to")?,
    };
    Ok(DeliveryRow {
        project: ProjectId(row.text("project_id")?),
        agent: row.text("agent")?.parse().map_err(|_| bad("agent"))?,
        model: row.optional_text("model")?,
        arguments: serde_json::from_str(&row.text("arguments")?).map_err(|_| bad("argument"))?,
        wakeup: row
            .optional_text("wakeup_id")?
            .map(|id| WakeupId::parse(&id).map_err(|_| bad("wake-up")))
            .transpose()?,
        state: row.text("state")?.parse().map_err(|()| bad("state"))?,
        is_new_session: row.int("is_new_session")? != 0,
        mail: (mail.up_to > 0).then_some(mail),
        changed_at: Timestamp(row.int(changed_at)?),
    })
}

impl Store {
    /// The delivery of an agent's latest prompt.
    pub fn delivery(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
    ) -> Result<Option<DeliveryRow>, StoreError> {
        let lock = self.connection.row_lock();
        let statement = format!("SELECT {COLUMNS} FROM launch WHERE project_id = $1 AND agent = $2{lock}");
        let parameters = [project.0.as_str().into(), agent.to_string().as_str().into()];
        let rows = self.connection.query(&statement, &parameters)?;
        rows.first()
            .map(|row| delivery_row(row, "changed_at"))
            .transpose()
    }

    /// Inserts or updates a delivery.
    pub fn keep_delivery(&mut self, delivery: &DeliveryRow) -> Result<(), StoreError> {
        let arguments = serde_json::to_string(&delivery.arguments)
            .map_err(|error| StoreError::Unreadable(error.to_string()))?;
        let mail = delivery.mail.unwrap_or(MailRange::empty(0));
        let statement = format!(
            "INSERT INTO launch ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             ON CONFLICT (project_id, agent) DO UPDATE SET model = $3, arguments = $4, wakeup_id = $5, state = $6, \
             is_new_session = $7, told_after = $8, told_up_to = $9, changed_at = $10"
        );
        self.connection.write(
            &statement,
            &[
                delivery.project.0.as_str().into(),
                delivery.agent.to_string().as_str().into(),
                delivery.model.as_deref().into(),
                arguments.as_str().into(),
                delivery.wakeup.as_ref().map(WakeupId::as_str).into(),
                delivery.state.as_str().into(),
                Value::Int(i64::from(delivery.is_new_session)),
                number(mail.after),
                number(mail.up_to),
                delivery.changed_at.0.into(),
            ],
        )
    }

    /// The deliveries that the supervisor has not finished.
    pub fn open_deliveries(&mut self) -> Result<Vec<DeliveryRow>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS} FROM launch WHERE state IN ('taken', 'carried', 'confirmed', 'exited') \
             ORDER BY project_id, agent"
        );
        self.connection
            .query(&statement, &[])?
            .iter()
            .map(|row| delivery_row(row, "changed_at"))
            .collect()
    }

    /// Marks a prompt's messages as unread, unless the agent has read later messages since. Returns the sequence
    /// number of the last message in the agent's mailbox.
    pub fn mark_unread(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        mail: MailRange,
    ) -> Result<u64, StoreError> {
        self.connection.transaction(|db| {
            let agent = agent.to_string();
            let parameters = [
                project.0.as_str().into(),
                agent.as_str().into(),
                number(mail.after),
                number(mail.up_to),
            ];
            let restored = db.execute(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2 AND taken = $4",
                &parameters,
            )?;
            if restored > 0 {
                db.write(
                    "UPDATE delivery SET taken_at = NULL WHERE project_id = $1 AND agent = $2 AND seq > $3 AND seq <= $4",
                    &parameters,
                )?;
            }
            let rows = db.query(
                "SELECT delivered FROM mailbox WHERE project_id = $1 AND agent = $2",
                &parameters[..2],
            )?;
            rows.first().map_or(Ok(0), |row| row.unsigned("delivered"))
        })
    }
}
