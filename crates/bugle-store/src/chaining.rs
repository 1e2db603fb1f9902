//! The migration that puts everything an older version stored into hash chains.

use crate::StoreError;
use crate::chain::{
    EventRow, MESSAGE_COLUMNS, START, StoreChain, TRUST_COLUMNS, compiled_hash, message_link, trust_link,
};
use crate::sql::{Row, Sql, Value};

/// The columns and tables. What an older version wrote has no rules and no batch: those were not recorded.
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

/// After how many runs or tasks progress is reported.
const REPORTED: usize = 10_000;

/// Chains what is there, in the transaction of the migration.
pub(crate) fn chain_everything<S: Sql>(sql: &mut S, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    chain_runs(sql, report)?;
    chain_tasks(sql, report)?;
    chain_messages(sql)?;
    chain_trust(sql)?;
    for row in sql.query("SELECT pin, compiler, body FROM compiled", &[])? {
        let (pin, compiler) = (row.text(0)?, row.int(1)?);
        let hash = compiled_hash(&pin, compiler, &row.text(2)?);
        sql.execute(
            "UPDATE compiled SET hash = $3 WHERE pin = $1 AND compiler = $2",
            &[pin.as_str().into(), compiler.into(), hash.as_str().into()],
        )?;
    }
    Ok(())
}

/// The ids in a table, and progress.
fn ids<S: Sql>(sql: &mut S, statement: &str) -> Result<Vec<String>, StoreError> {
    sql.query(statement, &[])?.iter().map(|row| row.text(0)).collect()
}

fn chain_runs<S: Sql>(sql: &mut S, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    let runs = ids(sql, "SELECT id FROM run")?;
    for (done, run) in runs.iter().enumerate() {
        if done % REPORTED == REPORTED - 1 {
            report(&format!("Chaining runs: {} of {}", done + 1, runs.len()));
        }
        let statement = "SELECT seq, happened_at, actor, body FROM event WHERE run_id = $1 ORDER BY seq";
        let mut head = START.to_owned();
        for row in sql.query(statement, &[run.as_str().into()])? {
            head = stored_event(run, &row, |event| event.in_run(&head, None, None))?;
            sql.execute(
                "UPDATE event SET hash = $3 WHERE run_id = $1 AND seq = $2",
                &[run.as_str().into(), row.int(0)?.into(), head.as_str().into()],
            )?;
        }
        sql.execute(
            "UPDATE run SET head = $2 WHERE id = $1",
            &[run.as_str().into(), head.as_str().into()],
        )?;
    }
    Ok(())
}

fn chain_tasks<S: Sql>(sql: &mut S, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
    let tasks = ids(sql, "SELECT id FROM task")?;
    for (done, task) in tasks.iter().enumerate() {
        if done % REPORTED == REPORTED - 1 {
            report(&format!("Chaining tasks: {} of {}", done + 1, tasks.len()));
        }
        let statement =
            "SELECT seq, happened_at, actor, body FROM task_event WHERE task_id = $1 ORDER BY seq";
        let mut head = START.to_owned();
        for row in sql.query(statement, &[task.as_str().into()])? {
            head = stored_event(task, &row, |event| event.in_task(&head))?;
            sql.execute(
                "UPDATE task_event SET hash = $3 WHERE task_id = $1 AND seq = $2",
                &[task.as_str().into(), row.int(0)?.into(), head.as_str().into()],
            )?;
        }
    }
    Ok(())
}

/// The link of an event in a row of its number, time, actor and body.
pub(crate) fn stored_event(
    of: &str,
    row: &Row,
    link: impl FnOnce(&EventRow<'_>) -> String,
) -> Result<String, StoreError> {
    let (actor, body) = (row.text(2)?, row.text(3)?);
    Ok(link(&EventRow {
        of,
        seq: row.int(0)?,
        at: row.int(1)?,
        actor: &actor,
        body: &body,
    }))
}

fn chain_messages<S: Sql>(sql: &mut S) -> Result<(), StoreError> {
    let (mut link, mut head) = (0, START.to_owned());
    for id in ids(sql, "SELECT id FROM message ORDER BY said_at, project_id, seq")? {
        link += 1;
        sql.execute(
            "UPDATE message SET link = $2, receivers = (SELECT COUNT(*) FROM delivery WHERE message_id = $1) WHERE id = $1",
            &[id.as_str().into(), Value::Int(link)],
        )?;
        let statement = format!("SELECT {MESSAGE_COLUMNS} FROM message WHERE id = $1");
        if let Some(row) = sql.query(&statement, &[id.as_str().into()])?.first() {
            head = message_link(&head, row)?;
        }
        sql.execute(
            "UPDATE message SET hash = $2 WHERE id = $1",
            &[id.as_str().into(), head.as_str().into()],
        )?;
    }
    StoreChain::Messages.set_end(sql, link, &head)
}

fn chain_trust<S: Sql>(sql: &mut S) -> Result<(), StoreError> {
    for row in sql.query(
        "SELECT given_at, given_by, pin, skill FROM trust ORDER BY given_at, pin",
        &[],
    )? {
        let decided = (row.int(0)?, row.text(1)?);
        link_trust(sql, &row.text(2)?, &row.text(3)?, (decided.0, &decided.1), true)?;
    }
    Ok(())
}

/// Records a decision about trust at the end of its chain.
pub(crate) fn link_trust<S: Sql>(
    sql: &mut S,
    pin: &str,
    skill: &str,
    (at, actor): (i64, &str),
    given: bool,
) -> Result<(), StoreError> {
    let (length, before) = StoreChain::Trust.end(sql)?;
    let mut values = vec![
        Value::Int(length + 1),
        Value::Int(at),
        actor.into(),
        pin.into(),
        skill.into(),
        Value::Int(i64::from(given)),
    ];
    let hash = trust_link(&before, &Row(values.clone()))?;
    values.push(hash.as_str().into());
    let statement =
        format!("INSERT INTO trust_event ({TRUST_COLUMNS}, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)");
    sql.execute(&statement, &values)?;
    StoreChain::Trust.set_end(sql, length + 1, &hash)
}
