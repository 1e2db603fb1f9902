//! Looking for words in what is kept. The engine only sorts out what cannot be meant, in statements that every engine
//! understands; whether a text is meant is decided by whoever reads it.

use bugle_core::engine::Recorded;
use bugle_core::id::{Actor, RunId, TaskId, Timestamp};
use bugle_core::task::RecordedTaskEvent;

use crate::StoreError;
use crate::messages::{MessageRow, rows_where};
use crate::sql::{Row, Sql, Value};
use crate::store::{ProjectId, SqlStore};

/// What Bugle needs of a store to look for words. Words are plain letters and digits in lower case; what is found holds
/// each of them somewhere, in whatever case; the latest first.
pub trait SearchStore {
    /// Messages.
    fn messages_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError>;
    /// Events of runs.
    fn events_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<(RunId, Recorded)>, StoreError>;
    /// Events of tasks.
    fn task_events_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<(TaskId, RecordedTaskEvent)>, StoreError>;
}

/// That a column holds every word; the project is parameter 1, how many at most parameter 2.
fn holding(column: &str, project: &ProjectId, words: &[String], limit: u32) -> (String, Vec<Value>) {
    let mut parameters = vec![project.0.as_str().into(), Value::Int(i64::from(limit))];
    let mut condition = String::new();
    for word in words {
        parameters.push(format!("%{word}%").as_str().into());
        condition.push_str(&format!(" AND LOWER({column}) LIKE ${}", parameters.len()));
    }
    (condition, parameters)
}

fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(format!("an event: {what}"))
}

/// When something happened, and by whom.
fn origin(row: &Row) -> Result<(Timestamp, Actor), StoreError> {
    let by = serde_json::from_str(&row.text(2)?).map_err(unreadable)?;
    Ok((Timestamp(row.int(1)?), by))
}

impl<S: Sql> SearchStore for SqlStore<S> {
    fn messages_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let (condition, parameters) = holding("message.body", project, words, limit);
        let rest = format!("WHERE message.project_id = $1{condition} ORDER BY message.seq DESC LIMIT $2");
        rows_where(&mut self.sql, &rest, &parameters)
    }

    fn events_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<(RunId, Recorded)>, StoreError> {
        let (condition, parameters) = holding("event.body", project, words, limit);
        let statement = format!(
            "SELECT event.run_id, event.happened_at, event.actor, event.body FROM event \
             JOIN run ON run.id = event.run_id WHERE run.project_id = $1{condition} \
             ORDER BY event.happened_at DESC, event.run_id, event.seq DESC LIMIT $2"
        );
        let rows = self.sql.query(&statement, &parameters)?;
        rows.iter()
            .map(|row| {
                let run = RunId::parse(&row.text(0)?).map_err(unreadable)?;
                let (at, by) = origin(row)?;
                let event = serde_json::from_str(&row.text(3)?).map_err(unreadable)?;
                Ok((run, Recorded { at, by, event }))
            })
            .collect()
    }

    fn task_events_with(
        &mut self,
        project: &ProjectId,
        words: &[String],
        limit: u32,
    ) -> Result<Vec<(TaskId, RecordedTaskEvent)>, StoreError> {
        let (condition, parameters) = holding("task_event.body", project, words, limit);
        let statement = format!(
            "SELECT task_event.task_id, task_event.happened_at, task_event.actor, task_event.body FROM task_event \
             JOIN task ON task.id = task_event.task_id WHERE task.project_id = $1{condition} \
             ORDER BY task_event.happened_at DESC, task_event.task_id, task_event.seq DESC LIMIT $2"
        );
        let rows = self.sql.query(&statement, &parameters)?;
        rows.iter()
            .map(|row| {
                let task = TaskId::parse(&row.text(0)?).map_err(unreadable)?;
                let (at, by) = origin(row)?;
                let event = serde_json::from_str(&row.text(3)?).map_err(unreadable)?;
                Ok((task, RecordedTaskEvent { at, by, event }))
            })
            .collect()
    }
}
