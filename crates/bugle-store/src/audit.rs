//! Reading the store to check it: every row against its chain, without any rule about what the rows mean.

use bugle_core::engine::Recorded;
use bugle_core::id::{ContentHash, RunId, TaskId, Timestamp};

use crate::StoreError;
use crate::chain::{MESSAGE_COLUMNS, START, StoreChain, TRUST_COLUMNS, message_link, trust_link};
use crate::chaining::stored_event;
use crate::sql::{Row, Sql, Value};
use crate::store::{RUN_COLUMNS, RunRow, SqlStore, run_row};

/// An event, and what is known of the command that produced it.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedEvent {
    /// The event.
    pub recorded: Recorded,
    /// The version of the rules that produced it; nothing if that was not recorded then.
    pub rules: Option<i64>,
    /// The number of the first event that the same command produced; nothing if that was not recorded then.
    pub batch: Option<i64>,
}

/// A run, read to be checked.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedRun {
    /// Its row.
    pub row: RunRow,
    /// Its events.
    pub events: Vec<AuditedEvent>,
    /// What does not fit its chain, the first only: everything behind it fails with it.
    pub fault: Option<String>,
}

/// What Bugle needs of a store to check it.
pub trait AuditStore {
    /// Every run, those of sub-agents too.
    fn run_ids(&mut self) -> Result<Vec<RunId>, StoreError>;
    /// A run with everything that is known of its events.
    fn audited_run(&mut self, run: &RunId) -> Result<Option<AuditedRun>, StoreError>;
    /// What does not fit the chain of a task.
    fn task_chain_fault(&mut self, task: &TaskId) -> Result<Option<String>, StoreError>;
    /// What is wrong with messages and their deliveries.
    fn message_faults(&mut self) -> Result<Vec<String>, StoreError>;
    /// What is wrong with the record of who trusts what.
    fn trust_faults(&mut self) -> Result<Vec<String>, StoreError>;
    /// The pins that a compiler made something of.
    fn compiled_pins(&mut self, compiler: i64) -> Result<Vec<ContentHash>, StoreError>;
}

fn optional_int(row: &Row, column: usize) -> Result<Option<i64>, StoreError> {
    match row.0.get(column) {
        Some(Value::Null) => Ok(None),
        _ => row.int(column).map(Some),
    }
}

impl<S: Sql> AuditStore for SqlStore<S> {
    fn run_ids(&mut self) -> Result<Vec<RunId>, StoreError> {
        let rows = self.sql.query("SELECT id FROM run ORDER BY id", &[])?;
        let id = |row: &Row| {
            let id = row.text(0)?;
            RunId::parse(&id).map_err(|_| StoreError::Unreadable(format!("`{id}` is no id of a run")))
        };
        rows.iter().map(id).collect()
    }

    fn audited_run(&mut self, run: &RunId) -> Result<Option<AuditedRun>, StoreError> {
        let statement = format!("SELECT {RUN_COLUMNS}, head FROM run WHERE id = $1");
        let rows = self.sql.query(&statement, &[run.as_str().into()])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut audited = AuditedRun {
            row: run_row(row)?,
            events: Vec::new(),
            fault: None,
        };
        let mut head = START.to_owned();
        let statement = "SELECT seq, happened_at, actor, body, rules, batch, hash FROM event WHERE run_id = $1 ORDER BY seq";
        for (expected, row) in (1..).zip(self.sql.query(statement, &[run.as_str().into()])?) {
            let (seq, rules, batch) = (row.int(0)?, optional_int(&row, 4)?, optional_int(&row, 5)?);
            head = stored_event(run.as_str(), &row, |event| event.in_run(&head, rules, batch))?;
            if audited.fault.is_none() && seq != expected {
                audited.fault = Some(format!("event {expected} of run {run} is missing"));
            } else if audited.fault.is_none() && head != row.text(6)? {
                audited.fault = Some(format!(
                    "event {seq} of run {run} was changed: it does not fit its hash"
                ));
            }
            let unreadable = |error: serde_json::Error| {
                StoreError::Unreadable(format!("event {seq} of run {run}: {error}"))
            };
            audited.events.push(AuditedEvent {
                recorded: Recorded {
                    at: Timestamp(row.int(1)?),
                    by: serde_json::from_str(&row.text(2)?).map_err(unreadable)?,
                    event: serde_json::from_str(&row.text(3)?).map_err(unreadable)?,
                },
                rules,
                batch,
            });
        }
        if audited.fault.is_none() && head != row.text(15)? {
            let last = audited.events.len();
            audited.fault = Some(format!(
                "run {run} does not end with event {last}: its last events were removed or added"
            ));
        }
        Ok(Some(audited))
    }

    fn task_chain_fault(&mut self, task: &TaskId) -> Result<Option<String>, StoreError> {
        let mut head = START.to_owned();
        let statement =
            "SELECT seq, happened_at, actor, body, hash FROM task_event WHERE task_id = $1 ORDER BY seq";
        for (expected, row) in (1..).zip(self.sql.query(statement, &[task.as_str().into()])?) {
            let seq = row.int(0)?;
            if seq != expected {
                return Ok(Some(format!("event {expected} of task {task} is missing")));
            }
            head = stored_event(task.as_str(), &row, |event| event.in_task(&head))?;
            if head != row.text(4)? {
                return Ok(Some(format!(
                    "event {seq} of task {task} was changed: it does not fit its hash"
                )));
            }
        }
        Ok(None)
    }

    fn message_faults(&mut self) -> Result<Vec<String>, StoreError> {
        let mut faults = message_chain_fault(&mut self.sql)?
            .into_iter()
            .collect::<Vec<_>>();
        let undelivered = self.sql.query(
            "SELECT id FROM message WHERE receivers > (SELECT COUNT(*) FROM delivery WHERE message_id = message.id)",
            &[],
        )?;
        for row in undelivered {
            faults.push(format!("a delivery of message {} is missing", row.text(0)?));
        }
        let counted = self.sql.query(
            "SELECT agent FROM mailbox WHERE delivered <> (SELECT COUNT(*) FROM delivery WHERE \
             delivery.project_id = mailbox.project_id AND delivery.agent = mailbox.agent)",
            &[],
        )?;
        for row in counted {
            faults.push(format!(
                "the mailbox of {} counts other deliveries than it has",
                row.text(0)?
            ));
        }
        let read = self.sql.query(
            "SELECT delivery.agent, delivery.message_id FROM delivery JOIN mailbox ON \
             mailbox.project_id = delivery.project_id AND mailbox.agent = delivery.agent \
             WHERE (delivery.seq <= mailbox.taken) <> (delivery.taken_at IS NOT NULL)",
            &[],
        )?;
        for row in read {
            faults.push(format!(
                "message {} is read in the mailbox of {} and unread in its delivery, or the other way round",
                row.text(1)?,
                row.text(0)?
            ));
        }
        Ok(faults)
    }

    fn trust_faults(&mut self) -> Result<Vec<String>, StoreError> {
        let mut head = START.to_owned();
        let mut faults = Vec::new();
        let statement = format!("SELECT {TRUST_COLUMNS}, hash FROM trust_event ORDER BY seq");
        let rows = self.sql.query(&statement, &[])?;
        for (expected, row) in (1..).zip(&rows) {
            head = trust_link(&head, row)?;
            if row.int(0)? != expected || head != row.text(6)? {
                faults.push(format!("decision {expected} about trust was changed or removed"));
                break;
            }
        }
        let (length, end) = StoreChain::Trust.end(&mut self.sql)?;
        if faults.is_empty() && (i64::try_from(rows.len()).ok() != Some(length) || head != end) {
            faults.push("the last decisions about trust were removed or added".to_owned());
        }
        let unrecorded = self.sql.query(
            "SELECT pin, skill FROM trust WHERE NOT EXISTS (SELECT 1 FROM trust_event WHERE given = 1 \
             AND trust_event.pin = trust.pin AND trust_event.skill = trust.skill AND trust_event.actor = trust.given_by \
             AND trust_event.happened_at = trust.given_at AND trust_event.seq = \
             (SELECT MAX(seq) FROM trust_event AS latest WHERE latest.pin = trust.pin))",
            &[],
        )?;
        for row in unrecorded {
            faults.push(format!(
                "skill {} is trusted in version {}, and no decision says so",
                row.text(1)?,
                row.text(0)?.get(..12).unwrap_or_default()
            ));
        }
        let lost = self.sql.query(
            "SELECT pin, skill FROM trust_event WHERE given = 1 AND seq = (SELECT MAX(seq) FROM trust_event AS latest \
             WHERE latest.pin = trust_event.pin) AND NOT EXISTS (SELECT 1 FROM trust WHERE trust.pin = trust_event.pin)",
            &[],
        )?;
        for row in lost {
            faults.push(format!(
                "the trust in skill {} was removed without a decision",
                row.text(1)?
            ));
        }
        Ok(faults)
    }

    fn compiled_pins(&mut self, compiler: i64) -> Result<Vec<ContentHash>, StoreError> {
        let statement = "SELECT pin FROM compiled WHERE compiler = $1 ORDER BY pin";
        let rows = self.sql.query(statement, &[compiler.into()])?;
        rows.iter()
            .map(|row| row.text(0).map(ContentHash::from_stored))
            .collect()
    }
}

/// The first message that does not fit the chain of all messages.
fn message_chain_fault<S: Sql>(sql: &mut S) -> Result<Option<String>, StoreError> {
    let (mut link, mut head) = (0_i64, START.to_owned());
    loop {
        // A part at a time: a store may hold more messages than fit into memory.
        let statement =
            format!("SELECT {MESSAGE_COLUMNS}, hash FROM message WHERE link > $1 ORDER BY link LIMIT 1000");
        let rows = sql.query(&statement, &[Value::Int(link)])?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            link += 1;
            head = message_link(&head, &row)?;
            if row.int(0)? != link {
                return Ok(Some(format!("a message before {} is missing", row.text(1)?)));
            }
            if head != row.text(8)? {
                return Ok(Some(format!(
                    "message {} was changed: it does not fit its hash",
                    row.text(1)?
                )));
            }
        }
    }
    let end = StoreChain::Messages.end(sql)?;
    let unlinked = sql.query("SELECT id FROM message WHERE link < 1 LIMIT 1", &[])?;
    Ok(match unlinked.first() {
        Some(row) => Some(format!("message {} was added outside Bugle", row.text(0)?)),
        None if end != (link, head) => Some("the last messages were removed or added".to_owned()),
        None => None,
    })
}
