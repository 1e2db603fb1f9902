//! The agents that the supervisor may have to act on, each with its delivery.

use super::AgentRow;
use super::queries::{COLUMNS, agent_row};
use crate::deliveries::{DeliveryRow, delivery_row};
use crate::row::Row;
use crate::{Store, StoreError};

/// An agent that the supervisor may have to act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisedRow {
    /// The agent.
    pub agent: AgentRow,
    /// The delivery of the agent's latest prompt.
    pub delivery: Option<DeliveryRow>,
    /// The number of unread messages.
    pub unread: u64,
    /// The sequence number of the last unread message; `None` if no unread message wakes the agent.
    pub called_at: Option<u64>,
}

/// Selects the keys of agents with a process, an unread message that wakes them, or an unfinished delivery.
const SUPERVISED: &str = "SELECT project_id, address FROM agent WHERE pid IS NOT NULL \
     UNION SELECT project_id, agent FROM mailbox WHERE wakes_at > taken \
     UNION SELECT project_id, agent FROM launch WHERE state IN ('taken', 'carried', 'confirmed', 'exited')";

impl Store {
    /// The agents on this machine that the supervisor may have to act on, sorted by project and address. One query
    /// reads agents and deliveries together, so that they are consistent.
    pub fn supervised_agents(&mut self) -> Result<Vec<SupervisedRow>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS}, launch.agent, launch.model, launch.arguments, launch.wakeup_id, launch.state, \
             launch.is_new_session, launch.told_after, launch.told_up_to, launch.changed_at AS launch_changed_at, \
             COALESCE(mailbox.delivered - mailbox.taken, 0) AS unread, \
             CASE WHEN agent.renamed IS NULL AND mailbox.wakes_at > mailbox.taken THEN mailbox.delivered END AS called_at \
             FROM ({SUPERVISED}) AS supervised \
             JOIN agent ON agent.project_id = supervised.project_id AND agent.address = supervised.address \
             AND agent.machine = $1 \
             LEFT JOIN launch ON launch.project_id = agent.project_id AND launch.agent = agent.address \
             LEFT JOIN mailbox ON mailbox.project_id = agent.project_id AND mailbox.agent = agent.address \
             ORDER BY agent.project_id, agent.address"
        );
        let rows = self
            .connection
            .query(&statement, &[self.machine.as_str().into()])?;
        rows.iter().map(supervised_row).collect()
    }
}

fn supervised_row(row: &Row) -> Result<SupervisedRow, StoreError> {
    let called_at = row.optional_int("called_at")?;
    Ok(SupervisedRow {
        agent: agent_row(row)?,
        delivery: match row.optional_text("agent")? {
            Some(_) => Some(delivery_row(row, "launch_changed_at")?),
            None => None,
        },
        unread: row.unsigned("unread")?,
        called_at: called_at.map(|_| row.unsigned("called_at")).transpose()?,
    })
}
