//! Counts the open tasks that a task and its descendants are waiting for.

use bugle_core::id::TaskId;
use bugle_core::task::{TreePath, WaitSource};

use super::TaskRow;
use super::rows::source_text;
use crate::ProjectId;
use crate::StoreError;
use crate::connection::Connection;

/// Adds or removes a declared dependency.
pub(super) fn set_dependency(
    db: &mut Connection,
    before: &TaskRow,
    on: &TaskId,
    source: Option<WaitSource>,
) -> Result<(), StoreError> {
    let id = before.task.id.as_str();
    let old_source = before.task.waits_for.get(on).copied();
    if old_source == source {
        return Ok(());
    }
    match source {
        Some(source) => db.execute(
            "INSERT INTO dependency (task_id, on_id, says) VALUES ($1, $2, $3) \
             ON CONFLICT (task_id, on_id) DO UPDATE SET says = $3",
            &[id.into(), on.as_str().into(), source_text(source).into()],
        )?,
        None => db.execute(
            "DELETE FROM dependency WHERE task_id = $1 AND on_id = $2",
            &[id.into(), on.as_str().into()],
        )?,
    };
    let rows = db.query("SELECT is_open FROM task WHERE id = $1", &[on.as_str().into()])?;
    let row = rows
        .first()
        .ok_or_else(|| StoreError::Unreadable(format!("task {on} does not exist")))?;
    if !row.flag("is_open")? {
        return Ok(());
    }
    let change = Blockers::changed(old_source, source);
    count_blockers(db, &before.project, &before.path, change)
}

/// Blocker counts, or changes to them: all blockers, and the blockers that come only from the plan's order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Blockers {
    pub all: i64,
    pub turn: i64,
}

impl Blockers {
    pub(super) fn of(row: &TaskRow) -> Self {
        Self {
            all: i64::from(row.blockers),
            turn: i64::from(row.turn_blockers),
        }
    }

    pub(super) fn counted(source: WaitSource, count: i64) -> Self {
        Self {
            all: count,
            turn: if source == WaitSource::Order { count } else { 0 },
        }
    }

    /// The change in blocker counts when the source of a dependency on an open task changes.
    pub(super) fn changed(old: Option<WaitSource>, new: Option<WaitSource>) -> Self {
        let gone = old.map_or(Self::default(), |old| Self::counted(old, -1));
        let new = new.map_or(Self::default(), |new| Self::counted(new, 1));
        Self {
            all: gone.all + new.all,
            turn: gone.turn + new.turn,
        }
    }

    pub(super) fn negated(self) -> Self {
        Self {
            all: -self.all,
            turn: -self.turn,
        }
    }
}

/// Changes the blocker counts of a task and all its descendants.
pub(super) fn count_blockers(
    db: &mut Connection,
    project: &ProjectId,
    path: &TreePath,
    change: Blockers,
) -> Result<(), StoreError> {
    db.write(
        "UPDATE task SET blockers = blockers + $4, turn_blockers = turn_blockers + $5 \
         WHERE project_id = $1 AND path >= $2 AND path < $3",
        &[
            project.0.as_str().into(),
            path.as_str().into(),
            path.end().as_str().into(),
            change.all.into(),
            change.turn.into(),
        ],
    )?;
    Ok(())
}
