//! Merges one project into another.
//!
//! Merging changes nothing that a hash covers: messages keep their senders, ids and links. Only sequence numbers
//! change.

use bugle_core::message::AgentAddress;

use crate::StoreError;
use crate::connection::Connection;
use crate::row::Value;
use crate::{ProjectId, Store};

impl Store {
    /// Moves everything from project `from` to `into` and deletes `from`. Task ranks and plan files must not conflict
    /// with those in `into`.
    ///
    /// Mailboxes with the same address are merged, and so are their agents: unread messages stay unread, and the
    /// session of the most recently changed agent is kept.
    pub fn merge_projects(&mut self, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError> {
        self.transaction(|tx| {
            merge_agents(tx, from, into)?;
            merge_rows(&mut tx.connection, from, into)
        })
    }
}

fn merge_agents(store: &mut Store, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError> {
    let both = "SELECT address FROM agent WHERE project_id = $1 AND address IN \
                (SELECT address FROM agent WHERE project_id = $2)";
    for row in store.connection.query(both, &pair(from, into))? {
        let address: AgentAddress = row
            .text("address")?
            .parse()
            .map_err(|_| StoreError::Unreadable("an agent has an invalid address".to_owned()))?;
        let (Some(theirs), Some(own)) = (store.agent(from, &address)?, store.agent(into, &address)?) else {
            continue;
        };
        let mut kept = if theirs.changed_at > own.changed_at {
            theirs.clone()
        } else {
            own.clone()
        };
        kept.project = into.clone();
        kept.spent.wakeups = own.spent.wakeups.saturating_add(theirs.spent.wakeups);
        kept.spent.tokens = own.spent.tokens.saturating_add(theirs.spent.tokens);
        kept.spent.cost = own.spent.cost.saturating_add(theirs.spent.cost);
        store.connection.execute(
            "DELETE FROM agent WHERE project_id = $1 AND address = $2",
            &[from.0.as_str().into(), address.to_string().as_str().into()],
        )?;
        store.keep_agent(&kept)?;
    }
    Ok(())
}

/// The two projects as parameters 1 and 2.
fn pair(from: &ProjectId, into: &ProjectId) -> [Value; 2] {
    [from.0.as_str().into(), into.0.as_str().into()]
}

fn merge_rows(db: &mut Connection, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError> {
    let both = pair(from, into);
    for table in ["run", "task", "plan", "agent"] {
        let statement = format!("UPDATE {table} SET project_id = $2 WHERE project_id = $1");
        db.write(&statement, &both)?;
    }
    // If both projects have a row with the same key, keep the row in `into`.
    for (table, key) in [
        ("focus", "(machine, session)"),
        ("notice", "what"),
        ("launch", "agent"),
    ] {
        let columns = key.trim_matches(['(', ')']);
        let statement = format!(
            "DELETE FROM {table} WHERE project_id = $1 AND {key} IN (SELECT {columns} FROM {table} WHERE project_id = $2)"
        );
        db.write(&statement, &both)?;
        let statement = format!("UPDATE {table} SET project_id = $2 WHERE project_id = $1");
        db.write(&statement, &both)?;
    }
    renumber(db, &both, "message", "link")?;
    renumber(db, &both, "wakeup", "given_at, seq")?;
    merge_mailboxes(db, &both)?;
    // Reset the exchanges: their keys contain the project.
    let (first, behind) = (format!("{} ", from.0), format!("{}!", from.0));
    db.write(
        "DELETE FROM exchange WHERE (first >= $1 AND first < $2) OR (second >= $1 AND second < $2)",
        &[first.as_str().into(), behind.as_str().into()],
    )?;
    db.write("DELETE FROM project_place WHERE project_id = $1", &both[..1])?;
    db.write("DELETE FROM project WHERE id = $1", &both[..1])?;
    Ok(())
}

/// Renumbers the rows of both projects as one list, in this order.
fn renumber(db: &mut Connection, both: &[Value; 2], table: &str, order: &str) -> Result<(), StoreError> {
    let ids = db.query(
        &format!("SELECT id FROM {table} WHERE project_id = $1 OR project_id = $2 ORDER BY {order}"),
        both,
    )?;
    // Numbers must be unique after every statement, so all rows get negative numbers first.
    let numbered = format!("UPDATE {table} SET project_id = $1, seq = $2 WHERE id = $3");
    for (number, row) in (1_i64..).zip(&ids) {
        db.write(
            &numbered,
            &[
                both[1].clone(),
                Value::Int(-number),
                row.text("id")?.as_str().into(),
            ],
        )?;
    }
    db.write(
        &format!("UPDATE {table} SET seq = -seq WHERE project_id = $1"),
        &both[1..],
    )?;
    Ok(())
}

fn merge_mailboxes(db: &mut Connection, both: &[Value; 2]) -> Result<(), StoreError> {
    let shared = db.query(
        "SELECT agent FROM mailbox WHERE project_id = $1 AND agent IN (SELECT agent FROM mailbox WHERE project_id = $2)",
        both,
    )?;
    for row in shared {
        join_mailboxes(db, both, &row.text("agent")?)?;
    }
    db.write(
        "INSERT INTO mailbox (project_id, agent, delivered, taken, wakes_at) \
         SELECT $2, agent, delivered, taken, wakes_at FROM mailbox WHERE project_id = $1",
        both,
    )?;
    db.write("UPDATE delivery SET project_id = $2 WHERE project_id = $1", both)?;
    db.write("DELETE FROM mailbox WHERE project_id = $1", &both[..1])?;
    Ok(())
}

/// Merges two mailboxes with the same address: first the read messages, then the unread messages, each in posting
/// order.
fn join_mailboxes(db: &mut Connection, both: &[Value; 2], agent: &str) -> Result<(), StoreError> {
    let parameters = [both[0].clone(), both[1].clone(), agent.into()];
    let deliveries = db.query(
        "SELECT delivery.message_id, delivery.project_id, CASE WHEN delivery.taken_at IS NULL THEN 1 ELSE 0 END AS is_unread \
         FROM delivery \
         JOIN message ON message.id = delivery.message_id \
         WHERE delivery.agent = $3 AND (delivery.project_id = $1 OR delivery.project_id = $2) \
         ORDER BY is_unread, message.link",
        &parameters,
    )?;
    let wakes = db.query(
        "SELECT 1 FROM mailbox WHERE agent = $3 AND (project_id = $1 OR project_id = $2) AND wakes_at > taken",
        &parameters,
    )?;
    let mut taken = 0_i64;
    for (number, row) in (1_i64..).zip(&deliveries) {
        taken += i64::from(row.int("is_unread")? == 0);
        db.write(
            "UPDATE delivery SET project_id = $1, seq = $2 WHERE message_id = $3 AND project_id = $4 AND agent = $5",
            &[
                both[1].clone(),
                Value::Int(-number),
                row.text("message_id")?.as_str().into(),
                row.text("project_id")?.as_str().into(),
                agent.into(),
            ],
        )?;
    }
    db.write(
        "UPDATE delivery SET seq = -seq WHERE project_id = $1 AND agent = $2",
        &[both[1].clone(), agent.into()],
    )?;
    let delivered = i64::try_from(deliveries.len()).unwrap_or(i64::MAX);
    let wakes_at = if wakes.is_empty() { 0 } else { delivered };
    db.write(
        "UPDATE mailbox SET delivered = $3, taken = $4, wakes_at = $5 WHERE project_id = $1 AND agent = $2",
        &[
            both[1].clone(),
            agent.into(),
            Value::Int(delivered),
            Value::Int(taken),
            Value::Int(wakes_at),
        ],
    )?;
    db.write(
        "DELETE FROM mailbox WHERE project_id = $1 AND agent = $2",
        &[both[0].clone(), agent.into()],
    )?;
    Ok(())
}
