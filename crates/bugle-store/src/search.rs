//! Full-text search. The engine selects candidates with portable statements, and the caller decides which of them
//! match. Only a limited number of the newest rows is searched, so the cost does not grow with the store.

use bugle_core::engine::Recorded;
use bugle_core::id::{Actor, RunId, TaskId, Timestamp};
use bugle_core::task::RecordedTaskEvent;

use crate::StoreError;
use crate::connection::Connection;
use crate::messages::{MessageRow, rows_where};
use crate::row::{Row, Value};
use crate::{ProjectId, Store};

/// A search and its bounds.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// The project.
    pub project: &'a ProjectId,
    /// Words of lower-case letters and digits. A match contains all of them, ignoring case.
    pub words: &'a [String],
    /// Maximum number of rows searched, newest first; all if `None`.
    pub rows: Option<u32>,
    /// Maximum number of rows returned.
    pub limit: u32,
}

/// The rows found, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// Only rows after this time were searched; all rows if `None`.
    pub after: Option<Timestamp>,
}

impl Search<'_> {
    /// The condition that a column contains every word. Parameter 1 is the project, 2 the limit and 3 the newest row
    /// that is not searched.
    fn condition(&self, column: &str, not_searched: i64) -> (String, Vec<Value>) {
        let mut parameters = vec![
            self.project.0.as_str().into(),
            Value::Int(i64::from(self.limit)),
            Value::Int(not_searched),
        ];
        let mut condition = String::new();
        for word in self.words {
            parameters.push(format!("%{word}%").as_str().into());
            condition.push_str(&format!(" AND LOWER({column}) LIKE ${}", parameters.len()));
        }
        (condition, parameters)
    }
}

fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(format!("an event: {what}"))
}

/// The time and actor of an event.
fn origin(row: &Row) -> Result<(Timestamp, Actor), StoreError> {
    let by = serde_json::from_str(&row.text("actor")?).map_err(unreadable)?;
    Ok((Timestamp(row.int("happened_at")?), by))
}

impl Store {
    /// Messages that contain all words.
    pub fn messages_with(&mut self, search: Search<'_>) -> Result<Candidates<MessageRow>, StoreError> {
        let mut end = None;
        if let Some(rows) = search.rows {
            let statement =
                "SELECT seq, said_at FROM message WHERE project_id = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2";
            let found = self.connection.query(
                statement,
                &[search.project.0.as_str().into(), Value::Int(i64::from(rows))],
            )?;
            if let Some(row) = found.first() {
                end = Some((row.int("seq")?, Timestamp(row.int("said_at")?)));
            }
        }
        let not_searched = end.map_or(i64::MIN, |(seq, _)| seq);
        let (condition, parameters) = search.condition("message.body", not_searched);
        let rest = format!(
            "WHERE message.project_id = $1 AND message.seq > $3{condition} ORDER BY message.seq DESC LIMIT $2"
        );
        Ok(Candidates {
            rows: rows_where(&mut self.connection, &rest, &parameters)?,
            after: end.map(|(_, at)| at),
        })
    }

    /// Run events that contain all words, among the newest events of the most recently changed runs.
    pub fn events_with(&mut self, search: Search<'_>) -> Result<Candidates<(RunId, Recorded)>, StoreError> {
        let end = match search.rows {
            Some(rows) => first_run_not_searched(&mut self.connection, search.project, rows)?,
            None => RunsEnd::default(),
        };
        let not_searched = end.changed_at.unwrap_or(i64::MIN);
        let (condition, mut parameters) = search.condition("event.body", not_searched);
        parameters.push(Value::Int(search.rows.map_or(i64::MAX, i64::from)));
        let statement = format!(
            "SELECT event.run_id, event.happened_at, event.actor, event.body FROM run \
             JOIN event ON event.run_id = run.id WHERE run.project_id = $1 AND run.changed_at > $3 \
             AND event.seq > run.version - ${}{condition} \
             ORDER BY event.happened_at DESC, event.run_id, event.seq DESC LIMIT $2",
            parameters.len()
        );
        let rows = self.connection.query(&statement, &parameters)?;
        let found = rows.iter().map(|row| {
            let run = RunId::parse(&row.text("run_id")?).map_err(unreadable)?;
            let (at, by) = origin(row)?;
            let event = serde_json::from_str(&row.text("body")?).map_err(unreadable)?;
            Ok((run, Recorded { at, by, event }))
        });
        Ok(Candidates {
            rows: found.collect::<Result<_, StoreError>>()?,
            after: end.changed_at.max(end.cut_off).map(Timestamp),
        })
    }

    /// Task events that contain all words.
    pub fn task_events_with(
        &mut self,
        search: Search<'_>,
    ) -> Result<Candidates<(TaskId, RecordedTaskEvent)>, StoreError> {
        let mut end = None;
        if let Some(rows) = search.rows {
            let statement = "SELECT happened_at FROM task_event ORDER BY happened_at DESC LIMIT 1 OFFSET $1";
            let found = self.connection.query(statement, &[Value::Int(i64::from(rows))])?;
            end = found.first().map(|row| row.int("happened_at")).transpose()?;
        }
        let (condition, parameters) = search.condition("task_event.body", end.unwrap_or(i64::MIN));
        // Check the project last: a join would first read all of the project's tasks.
        let statement = format!(
            "SELECT task_id, happened_at, actor, body FROM task_event WHERE happened_at > $3{condition} \
             AND (SELECT project_id FROM task WHERE task.id = task_event.task_id) = $1 \
             ORDER BY happened_at DESC, task_id, seq DESC LIMIT $2"
        );
        let rows = self.connection.query(&statement, &parameters)?;
        let found = rows.iter().map(|row| {
            let task = TaskId::parse(&row.text("task_id")?).map_err(unreadable)?;
            let (at, by) = origin(row)?;
            let event = serde_json::from_str(&row.text("body")?).map_err(unreadable)?;
            Ok((task, RecordedTaskEvent { at, by, event }))
        });
        Ok(Candidates {
            rows: found.collect::<Result<_, StoreError>>()?,
            after: end.map(Timestamp),
        })
    }
}

/// The bounds of a search in run events.
#[derive(Default)]
struct RunsEnd {
    /// Runs last changed at or before this time are not searched.
    changed_at: Option<i64>,
    /// When the run that is only partly searched last changed. The run's oldest events are not searched.
    cut_off: Option<i64>,
}

/// Selects a project's most recently changed runs until their events exceed the limit. The first run is always
/// selected, even if it has more events: the number of events searched per run is limited too.
fn first_run_not_searched(
    db: &mut Connection,
    project: &ProjectId,
    rows: u32,
) -> Result<RunsEnd, StoreError> {
    let most = i64::from(rows);
    let runs = db.query(
        "SELECT changed_at, version FROM run WHERE project_id = $1 ORDER BY changed_at DESC LIMIT $2",
        &[project.0.as_str().into(), Value::Int(most.saturating_add(1))],
    )?;
    let mut end = RunsEnd::default();
    let mut events: i64 = 0;
    for (index, run) in runs.iter().enumerate() {
        let (changed_at, version) = (run.int("changed_at")?, run.int("version")?);
        events = events.saturating_add(version.min(most));
        if index > 0 && events > most {
            end.changed_at = Some(changed_at);
            return Ok(end);
        }
        if version > most {
            end.cut_off = Some(changed_at);
        }
    }
    Ok(end)
}
