//! The migration that adds hash chains to existing rows.

use crate::StoreError;
use crate::chain::{
    EventRow, MESSAGE_COLUMNS, START, StoreChain, TRUST_COLUMNS, compiled_hash, message_link, trust_link,
};
use crate::connection::Connection;
use crate::row::{Row, Value};

/// New columns and tables. Existing rows have no rules version and no batch, because these were not recorded.
pub(crate) const SCHEMA: &str = "
ALTER TABLE run ADD COLUMN head TEXT NOT NULL DEFAULT '';
ALTER TABLE event ADD COLUMN rules BIGINT;
ALTER TABLE event ADD COLUMN batch BIGINT;
ALTER TABLE event ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE task_event ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE message ADD COLUMN link BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN receivers BIGINT NOT NULL DEFAULT 0;
ALTER TABLE message ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE INDEX message_by_link ON message (link);
ALTER TABLE compiled ADD COLUMN hash TEXT NOT NULL DEFAULT '';
CREATE TABLE trust_event (
  seq BIGINT PRIMARY KEY,
  happened_at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  pin TEXT NOT NULL,
  skill TEXT NOT NULL,
  given BIGINT NOT NULL,
  hash TEXT NOT NULL
);
CREATE TABLE chain (
  name TEXT PRIMARY KEY,
  length BIGINT NOT NULL,
  head TEXT NOT NULL
);
";

/// The number of runs or tasks between two progress reports.
const REPORT_INTERVAL: usize = 10_000;

/// Adds all existing rows to their chains.
pub(crate) fn chain_everything(db: &mut Connection, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    chain_runs(db, report)?;
    chain_tasks(db, report)?;
    chain_messages(db)?;
    // Create the row now, because a transaction cannot lock a missing row.
    StoreChain::Trust.set_end(db, 0, START)?;
    chain_trust(db)?;
    for row in db.query("SELECT pin, compiler, body FROM compiled", &[])? {
        let (pin, compiler) = (row.text("pin")?, row.int("compiler")?);
        let hash = compiled_hash(&pin, compiler, &row.text("body")?);
        db.write(
            "UPDATE compiled SET hash = $3 WHERE pin = $1 AND compiler = $2",
            &[pin.as_str().into(), compiler.into(), hash.as_str().into()],
        )?;
    }
    Ok(())
}

/// The ids that a statement selects.
fn ids(db: &mut Connection, statement: &str) -> Result<Vec<String>, StoreError> {
    db.query(statement, &[])?
        .iter()
        .map(|row| row.text("id"))
        .collect()
}

fn chain_runs(db: &mut Connection, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    let runs = ids(db, "SELECT id FROM run")?;
    for (done, run) in runs.iter().enumerate() {
        if done % REPORT_INTERVAL == REPORT_INTERVAL - 1 {
            report(&format!("Hashing runs: {} of {}", done + 1, runs.len()));
        }
        let statement = "SELECT seq, happened_at, actor, body FROM event WHERE run_id = $1 ORDER BY seq";
        let mut head = START.to_owned();
        for row in db.query(statement, &[run.as_str().into()])? {
            head = stored_event(run, &row, |event| event.in_run(&head, None, None))?;
            db.write(
                "UPDATE event SET hash = $3 WHERE run_id = $1 AND seq = $2",
                &[run.as_str().into(), row.int("seq")?.into(), head.as_str().into()],
            )?;
        }
        db.write(
            "UPDATE run SET head = $2 WHERE id = $1",
            &[run.as_str().into(), head.as_str().into()],
        )?;
    }
    Ok(())
}

fn chain_tasks(db: &mut Connection, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    let tasks = ids(db, "SELECT id FROM task")?;
    for (done, task) in tasks.iter().enumerate() {
        if done % REPORT_INTERVAL == REPORT_INTERVAL - 1 {
            report(&format!("Hashing tasks: {} of {}", done + 1, tasks.len()));
        }
        let statement =
            "SELECT seq, happened_at, actor, body FROM task_event WHERE task_id = $1 ORDER BY seq";
        let mut head = START.to_owned();
        for row in db.query(statement, &[task.as_str().into()])? {
            head = stored_event(task, &row, |event| event.in_task(&head))?;
            db.write(
                "UPDATE task_event SET hash = $3 WHERE task_id = $1 AND seq = $2",
                &[task.as_str().into(), row.int("seq")?.into(), head.as_str().into()],
            )?;
        }
    }
    Ok(())
}

/// An event's link, computed from its row.
pub(crate) fn stored_event(
    of: &str,
    row: &Row,
    link: impl FnOnce(&EventRow<'_>) -> String,
) -> Result<String, StoreError> {
    let (actor, body) = (row.text("actor")?, row.text("body")?);
    Ok(link(&EventRow {
        of,
        seq: row.int("seq")?,
        at: row.int("happened_at")?,
        actor: &actor,
        body: &body,
    }))
}

fn chain_messages(db: &mut Connection) -> Result<(), StoreError> {
    let (mut link, mut head) = (0, START.to_owned());
    for id in ids(db, "SELECT id FROM message ORDER BY said_at, project_id, seq")? {
        link += 1;
        db.write(
            "UPDATE message SET link = $2, receivers = (SELECT COUNT(*) FROM delivery WHERE message_id = $1) WHERE id = $1",
            &[id.as_str().into(), Value::Int(link)],
        )?;
        let statement = format!("SELECT {MESSAGE_COLUMNS} FROM message WHERE id = $1");
        if let Some(row) = db.query(&statement, &[id.as_str().into()])?.first() {
            head = message_link(&head, row)?;
        }
        db.write(
            "UPDATE message SET hash = $2 WHERE id = $1",
            &[id.as_str().into(), head.as_str().into()],
        )?;
    }
    StoreChain::Messages.set_end(db, link, &head)
}

fn chain_trust(db: &mut Connection) -> Result<(), StoreError> {
    for row in db.query(
        "SELECT given_at, given_by, pin, skill FROM trust ORDER BY given_at, pin",
        &[],
    )? {
        let decided = (row.int("given_at")?, row.text("given_by")?);
        link_trust(
            db,
            &row.text("pin")?,
            &row.text("skill")?,
            (decided.0, &decided.1),
            true,
        )?;
    }
    Ok(())
}

/// Appends a trust decision to its chain.
pub(crate) fn link_trust(
    db: &mut Connection,
    pin: &str,
    skill: &str,
    (at, actor): (i64, &str),
    given: bool,
) -> Result<(), StoreError> {
    let (length, before) = StoreChain::Trust.locked_end(db)?;
    let mut values = vec![
        Value::Int(length + 1),
        Value::Int(at),
        actor.into(),
        pin.into(),
        skill.into(),
        Value::Int(i64::from(given)),
    ];
    let hash = trust_link(&before, &Row::of(TRUST_COLUMNS, values.clone()))?;
    values.push(hash.as_str().into());
    let statement =
        format!("INSERT INTO trust_event ({TRUST_COLUMNS}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)");
    db.write(&statement, &values)?;
    StoreChain::Trust.set_end(db, length + 1, &hash)
}
