//! Reads the store for `store verify` and checks all rows against their hash chains.

use bugle_core::engine::Recorded;
use bugle_core::id::{ContentHash, RunId, TaskId, Timestamp};

use crate::StoreError;
use crate::chain::{MESSAGE_COLUMNS, START, StoreChain, TRUST_COLUMNS, message_link, trust_link};
use crate::connection::Connection;
use crate::row::{Row, Value};
use crate::run_rows::{RUN_COLUMNS, run_row};
use crate::schema::stored_event;
use crate::{RunRow, Store};

/// An event and the command that produced it.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedEvent {
    /// The event.
    pub recorded: Recorded,
    /// The rules version that produced the event, if recorded.
    pub rules: Option<i64>,
    /// The number of the first event of the same command, if recorded.
    pub batch: Option<i64>,
}

/// A run to check.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditedRun {
    /// The run's row.
    pub row: RunRow,
    /// The row's link to the task that the run was started for.
    pub task: Option<String>,
    /// The run's events.
    pub events: Vec<AuditedEvent>,
    /// A description of the first event that breaks the chain, if any. Later events are not checked.
    pub fault: Option<String>,
}

impl Store {
    /// The ids of all runs, including sub-agent runs.
    pub fn run_ids(&mut self) -> Result<Vec<RunId>, StoreError> {
        let rows = self.connection.query("SELECT id FROM run ORDER BY id", &[])?;
        let id = |row: &Row| {
            let id = row.text("id")?;
            RunId::parse(&id).map_err(|_| StoreError::Unreadable(format!("`{id}` is not a run id")))
        };
        rows.iter().map(id).collect()
    }

    /// A run with its events and their chain.
    pub fn audited_run(&mut self, run: &RunId) -> Result<Option<AuditedRun>, StoreError> {
        let statement = format!("SELECT {RUN_COLUMNS}, head, task_id FROM run WHERE id = $1");
        let rows = self.connection.query(&statement, &[run.as_str().into()])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let mut audited = AuditedRun {
            row: run_row(row)?,
            task: row.optional_text("task_id")?,
            events: Vec::new(),
            fault: None,
        };
        let mut head = START.to_owned();
        let statement = "SELECT seq, happened_at, actor, body, rules, batch, hash FROM event WHERE run_id = $1 ORDER BY seq";
        for (expected, row) in (1..).zip(self.connection.query(statement, &[run.as_str().into()])?) {
            let (seq, rules, batch) = (
                row.int("seq")?,
                row.optional_int("rules")?,
                row.optional_int("batch")?,
            );
            head = stored_event(run.as_str(), &row, |event| event.in_run(&head, rules, batch))?;
            if audited.fault.is_none() && seq != expected {
                audited.fault = Some(format!("event {expected} of run {run} is missing"));
            } else if audited.fault.is_none() && head != row.text("hash")? {
                audited.fault = Some(format!(
                    "event {seq} of run {run} was changed: it does not match its hash"
                ));
            }
            let unreadable = |error: serde_json::Error| {
                StoreError::Unreadable(format!("event {seq} of run {run}: {error}"))
            };
            audited.events.push(AuditedEvent {
                recorded: Recorded {
                    at: Timestamp(row.int("happened_at")?),
                    by: serde_json::from_str(&row.text("actor")?).map_err(unreadable)?,
                    event: serde_json::from_str(&row.text("body")?).map_err(unreadable)?,
                },
                rules,
                batch,
            });
        }
        if audited.fault.is_none() && head != row.text("head")? {
            let last = audited.events.len();
            audited.fault = Some(format!(
                "run {run} does not end with event {last}: events were removed from or added to its end"
            ));
        }
        Ok(Some(audited))
    }

    /// A description of the first event that breaks a task's chain, if any.
    pub fn task_chain_fault(&mut self, task: &TaskId) -> Result<Option<String>, StoreError> {
        let mut head = START.to_owned();
        let statement =
            "SELECT seq, happened_at, actor, body, hash FROM task_event WHERE task_id = $1 ORDER BY seq";
        for (expected, row) in (1..).zip(self.connection.query(statement, &[task.as_str().into()])?) {
            let seq = row.int("seq")?;
            if seq != expected {
                return Ok(Some(format!("event {expected} of task {task} is missing")));
            }
            head = stored_event(task.as_str(), &row, |event| event.in_task(&head))?;
            if head != row.text("hash")? {
                return Ok(Some(format!(
                    "event {seq} of task {task} was changed: it does not match its hash"
                )));
            }
        }
        Ok(None)
    }

    /// Errors in messages and their deliveries.
    pub fn message_faults(&mut self) -> Result<Vec<String>, StoreError> {
        let mut faults = message_chain_fault(&mut self.connection)?
            .into_iter()
            .collect::<Vec<_>>();
        let undelivered = self.connection.query(
            "SELECT id FROM message WHERE receivers > (SELECT COUNT(*) FROM delivery WHERE message_id = message.id)",
            &[],
        )?;
        for row in undelivered {
            faults.push(format!("a delivery of message {} is missing", row.text("id")?));
        }
        let counted = self.connection.query(
            "SELECT agent FROM mailbox WHERE delivered <> (SELECT COUNT(*) FROM delivery WHERE \
             delivery.project_id = mailbox.project_id AND delivery.agent = mailbox.agent)",
            &[],
        )?;
        for row in counted {
            faults.push(format!(
                "the delivery counter in {}'s mailbox is wrong",
                row.text("agent")?
            ));
        }
        let read = self.connection.query(
            "SELECT delivery.agent, delivery.message_id FROM delivery JOIN mailbox ON \
             mailbox.project_id = delivery.project_id AND mailbox.agent = delivery.agent \
             WHERE (delivery.seq <= mailbox.taken) <> (delivery.taken_at IS NOT NULL)",
            &[],
        )?;
        for row in read {
            faults.push(format!(
                "the mailbox of {1} and the delivery of message {0} disagree on whether the message was read",
                row.text("message_id")?,
                row.text("agent")?
            ));
        }
        Ok(faults)
    }

    /// Errors in the log of trust decisions.
    pub fn trust_faults(&mut self) -> Result<Vec<String>, StoreError> {
        let mut head = START.to_owned();
        let mut faults = Vec::new();
        let statement = format!("SELECT {TRUST_COLUMNS}, hash FROM trust_event ORDER BY seq");
        let rows = self.connection.query(&statement, &[])?;
        for (expected, row) in (1..).zip(&rows) {
            head = trust_link(&head, row)?;
            if row.int("seq")? != expected || head != row.text("hash")? {
                faults.push(format!("trust decision {expected} was changed or removed"));
                break;
            }
        }
        let (length, end) = StoreChain::Trust.end(&mut self.connection)?;
        if faults.is_empty() && (i64::try_from(rows.len()).ok() != Some(length) || head != end) {
            faults
                .push("trust decisions at the end of the log were added or removed outside Bugle".to_owned());
        }
        let unrecorded = self.connection.query(
            "SELECT pin, skill FROM trust WHERE NOT EXISTS (SELECT 1 FROM trust_event WHERE given = 1 \
             AND trust_event.pin = trust.pin AND trust_event.skill = trust.skill AND trust_event.actor = trust.given_by \
             AND trust_event.happened_at = trust.given_at AND trust_event.seq = \
             (SELECT MAX(seq) FROM trust_event AS latest WHERE latest.pin = trust.pin))",
            &[],
        )?;
        for row in unrecorded {
            faults.push(format!(
                "version {1} of skill {0} is trusted without a recorded decision",
                row.text("skill")?,
                row.text("pin")?.get(..12).unwrap_or_default()
            ));
        }
        let lost = self.connection.query(
            "SELECT pin, skill FROM trust_event WHERE given = 1 AND seq = (SELECT MAX(seq) FROM trust_event AS latest \
             WHERE latest.pin = trust_event.pin) AND NOT EXISTS (SELECT 1 FROM trust WHERE trust.pin = trust_event.pin)",
            &[],
        )?;
        for row in lost {
            faults.push(format!(
                "trust in skill {} was removed without a recorded decision",
                row.text("skill")?
            ));
        }
        Ok(faults)
    }

    /// The pins that this compiler version has compiled.
    pub fn compiled_pins(&mut self, compiler: i64) -> Result<Vec<ContentHash>, StoreError> {
        let statement = "SELECT pin FROM compiled WHERE compiler = $1 ORDER BY pin";
        let rows = self.connection.query(statement, &[compiler.into()])?;
        rows.iter()
            .map(|row| row.text("pin").map(ContentHash::from_stored))
            .collect()
    }
}

/// A description of the first message that breaks the message chain, if any.
fn message_chain_fault(db: &mut Connection) -> Result<Option<String>, StoreError> {
    let (mut link, mut head) = (0_i64, START.to_owned());
    loop {
        // Read in chunks: a store may contain more messages than fit into memory.
        let statement =
            format!("SELECT {MESSAGE_COLUMNS}, hash FROM message WHERE link > $1 ORDER BY link LIMIT 1000");
        let rows = db.query(&statement, &[Value::Int(link)])?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            link += 1;
            head = message_link(&head, &row)?;
            if row.int("link")? != link {
                return Ok(Some(format!("a message before {} is missing", row.text("id")?)));
            }
            if head != row.text("hash")? {
                return Ok(Some(format!(
                    "message {} was changed: it does not match its hash",
                    row.text("id")?
                )));
            }
        }
    }
    let end = StoreChain::Messages.end(db)?;
    let unlinked = db.query("SELECT id FROM message WHERE link < 1 LIMIT 1", &[])?;
    Ok(match unlinked.first() {
        Some(row) => Some(format!("message {} was added outside Bugle", row.text("id")?)),
        None if end != (link, head) => {
            Some("messages were removed from or added to the end of the log".to_owned())
        }
        None => None,
    })
}
