//! Merging projects: everything of one becomes the other's.
//!
//! Nothing that a hash covers is changed: messages keep their senders, their ids and their places in the chain. Only where
//! they are listed is new.

use bugle_core::message::AgentAddress;

use crate::StoreError;
use crate::agents::AgentStore as _;
use crate::sql::{Sql, Value};
use crate::store::{ProjectId, SqlStore};

/// What Bugle needs of a store to merge projects.
pub trait MergeStore {
    /// Everything of `from` becomes `into`'s, and `from` is no more. Tasks must have free ranks and plans free files there.
    ///
    /// Two mailboxes with the same address become one, and so do their agents: what either has not read stays unread, and
    /// the agent that changed last keeps its session.
    fn merge_projects(&mut self, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError>;
}

impl<S: Sql> MergeStore for SqlStore<S> {
    fn merge_projects(&mut self, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError> {
        // A part of a transaction that is open already, or one of its own.
        self.sql.begin()?;
        let merged = merge_agents(self, from, into).and_then(|()| {
            merge_rows(&mut self.sql, from, into)?;
            self.sql.commit()
        });
        if merged.is_err() {
            self.sql.rollback();
        }
        merged
    }
}

fn merge_agents<S: Sql>(
    store: &mut SqlStore<S>,
    from: &ProjectId,
    into: &ProjectId,
) -> Result<(), StoreError> {
    let both = "SELECT address FROM agent WHERE project_id = $1 AND address IN \
                (SELECT address FROM agent WHERE project_id = $2)";
    for row in store.sql.query(both, &pair(from, into))? {
        let address: AgentAddress = row
            .text(0)?
            .parse()
            .map_err(|_| StoreError::Unreadable("an agent has a bad address".to_owned()))?;
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
        store.sql.execute(
            "DELETE FROM agent WHERE project_id = $1 AND address = $2",
            &[from.0.as_str().into(), address.to_string().as_str().into()],
        )?;
        store.keep_agent(&kept)?;
    }
    Ok(())
}

/// Two projects as parameters 1 and 2.
fn pair(from: &ProjectId, into: &ProjectId) -> [Value; 2] {
    [from.0.as_str().into(), into.0.as_str().into()]
}

fn merge_rows<S: Sql>(sql: &mut S, from: &ProjectId, into: &ProjectId) -> Result<(), StoreError> {
    let both = pair(from, into);
    for table in ["run", "task", "plan", "agent"] {
        let statement = format!("UPDATE {table} SET project_id = $2 WHERE project_id = $1");
        sql.execute(&statement, &both)?;
    }
    // Where both have one, that of the project that stays is kept.
    for (table, key) in [("focus", "session"), ("notice", "what"), ("launch", "agent")] {
        let statement = format!(
            "DELETE FROM {table} WHERE project_id = $1 AND {key} IN (SELECT {key} FROM {table} WHERE project_id = $2)"
        );
        sql.execute(&statement, &both)?;
        let statement = format!("UPDATE {table} SET project_id = $2 WHERE project_id = $1");
        sql.execute(&statement, &both)?;
    }
    renumber(sql, &both, "message", "link")?;
    renumber(sql, &both, "wakeup", "given_at, seq")?;
    merge_mailboxes(sql, &both)?;
    // How often two agents answered each other is counted again: the pairs have the project in their names.
    let (first, behind) = (format!("{} ", from.0), format!("{}!", from.0));
    sql.execute(
        "DELETE FROM exchange WHERE (first >= $1 AND first < $2) OR (second >= $1 AND second < $2)",
        &[first.as_str().into(), behind.as_str().into()],
    )?;
    sql.execute("DELETE FROM project WHERE id = $1", &both[..1])?;
    Ok(())
}

/// Lists what both projects have as one, in this order.
fn renumber<S: Sql>(sql: &mut S, both: &[Value; 2], table: &str, order: &str) -> Result<(), StoreError> {
    let ids = sql.query(
        &format!("SELECT id FROM {table} WHERE project_id = $1 OR project_id = $2 ORDER BY {order}"),
        both,
    )?;
    // No two may have the same number at any moment, so all of them get negative ones first.
    let numbered = format!("UPDATE {table} SET project_id = $1, seq = $2 WHERE id = $3");
    for (number, row) in (1_i64..).zip(&ids) {
        sql.execute(
            &numbered,
            &[both[1].clone(), Value::Int(-number), row.text(0)?.as_str().into()],
        )?;
    }
    sql.execute(
        &format!("UPDATE {table} SET seq = -seq WHERE project_id = $1"),
        &both[1..],
    )?;
    Ok(())
}

fn merge_mailboxes<S: Sql>(sql: &mut S, both: &[Value; 2]) -> Result<(), StoreError> {
    let shared = sql.query(
        "SELECT agent FROM mailbox WHERE project_id = $1 AND agent IN (SELECT agent FROM mailbox WHERE project_id = $2)",
        both,
    )?;
    for row in shared {
        join_mailboxes(sql, both, &row.text(0)?)?;
    }
    sql.execute(
        "INSERT INTO mailbox (project_id, agent, delivered, taken, wakes_at) \
         SELECT $2, agent, delivered, taken, wakes_at FROM mailbox WHERE project_id = $1",
        both,
    )?;
    sql.execute("UPDATE delivery SET project_id = $2 WHERE project_id = $1", both)?;
    sql.execute("DELETE FROM mailbox WHERE project_id = $1", &both[..1])?;
    Ok(())
}

/// Puts what two mailboxes of one address have into one: what was read first, then what was not, each in the order in
/// which it was said.
fn join_mailboxes<S: Sql>(sql: &mut S, both: &[Value; 2], agent: &str) -> Result<(), StoreError> {
    let parameters = [both[0].clone(), both[1].clone(), agent.into()];
    let deliveries = sql.query(
        "SELECT delivery.message_id, delivery.project_id, CASE WHEN delivery.taken_at IS NULL THEN 1 ELSE 0 END \
         FROM delivery \
         JOIN message ON message.id = delivery.message_id \
         WHERE delivery.agent = $3 AND (delivery.project_id = $1 OR delivery.project_id = $2) \
         ORDER BY 3, message.link",
        &parameters,
    )?;
    let wakes = sql.query(
        "SELECT 1 FROM mailbox WHERE agent = $3 AND (project_id = $1 OR project_id = $2) AND wakes_at > taken",
        &parameters,
    )?;
    let mut taken = 0_i64;
    for (number, row) in (1_i64..).zip(&deliveries) {
        taken += i64::from(row.int(2)? == 0);
        sql.execute(
            "UPDATE delivery SET project_id = $1, seq = $2 WHERE message_id = $3 AND project_id = $4 AND agent = $5",
            &[
                both[1].clone(),
                Value::Int(-number),
                row.text(0)?.as_str().into(),
                row.text(1)?.as_str().into(),
                agent.into(),
            ],
        )?;
    }
    sql.execute(
        "UPDATE delivery SET seq = -seq WHERE project_id = $1 AND agent = $2",
        &[both[1].clone(), agent.into()],
    )?;
    let delivered = i64::try_from(deliveries.len()).unwrap_or(i64::MAX);
    let wakes_at = if wakes.is_empty() { 0 } else { delivered };
    sql.execute(
        "UPDATE mailbox SET delivered = $3, taken = $4, wakes_at = $5 WHERE project_id = $1 AND agent = $2",
        &[
            both[1].clone(),
            agent.into(),
            Value::Int(delivered),
            Value::Int(taken),
            Value::Int(wakes_at),
        ],
    )?;
    sql.execute(
        "DELETE FROM mailbox WHERE project_id = $1 AND agent = $2",
        &[both[0].clone(), agent.into()],
    )?;
    Ok(())
}
