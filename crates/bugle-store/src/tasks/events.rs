//! The events of tasks.

use std::collections::BTreeMap;

use bugle_core::id::{TaskId, Timestamp};
use bugle_core::task::RecordedTaskEvent;

use super::sql_helpers::{places, unreadable};
use crate::connection::Connection;
use crate::row::Value;
use crate::{Store, StoreError};

impl Store {
    /// The events of a task.
    pub fn task_events(&mut self, id: &TaskId) -> Result<Vec<RecordedTaskEvent>, StoreError> {
        let mut events = task_events(&mut self.connection, std::slice::from_ref(id))?;
        Ok(events.remove(id).unwrap_or_default())
    }

    /// The events of several tasks, in order within each task.
    pub fn events_of_tasks(
        &mut self,
        ids: &[TaskId],
    ) -> Result<BTreeMap<TaskId, Vec<RecordedTaskEvent>>, StoreError> {
        if !self.reads_ahead() {
            return task_events(&mut self.connection, ids);
        }
        // The events of some tasks were read ahead, each with its own query.
        self.read_ahead(|plan| ids.iter().try_for_each(|id| plan.task_events(id).map(drop)))?;
        ids.iter()
            .map(|id| Ok((id.clone(), self.task_events(id)?)))
            .collect()
    }
}

/// The events of tasks, read with one query.
fn task_events(
    db: &mut Connection,
    ids: &[TaskId],
) -> Result<BTreeMap<TaskId, Vec<RecordedTaskEvent>>, StoreError> {
    let mut events: BTreeMap<TaskId, Vec<RecordedTaskEvent>> = BTreeMap::new();
    if ids.is_empty() {
        return Ok(events);
    }
    let parameters: Vec<Value> = ids.iter().map(|id| id.as_str().into()).collect();
    let rows = db.query(
        &format!(
            "SELECT happened_at, actor, body, task_id FROM task_event WHERE task_id IN ({}) ORDER BY task_id, seq",
            places(1, &parameters)
        ),
        &parameters,
    )?;
    for row in &rows {
        let id = TaskId::parse(&row.text("task_id")?).map_err(unreadable)?;
        let bad = |error: serde_json::Error| unreadable(format!("an event of task {id}: {error}"));
        let event = RecordedTaskEvent {
            at: Timestamp(row.int("happened_at")?),
            by: serde_json::from_str(&row.text("actor")?).map_err(bad)?,
            event: serde_json::from_str(&row.text("body")?).map_err(bad)?,
        };
        events.entry(id).or_default().push(event);
    }
    Ok(events)
}
