//! How many open tasks a task waits for, kept with everything in it.

use bugle_core::id::TaskId;
use bugle_core::task::{TreePath, WaitSource};

use super::TaskRow;
use super::change::load;
use super::rows::source_text;
use crate::StoreError;
use crate::sql::Sql;
use crate::store::ProjectId;

/// Adds or removes a dependency that was declared by hand.
pub(super) fn wait<S: Sql>(
    sql: &mut S,
    before: &TaskRow,
    on: &TaskId,
    says: Option<WaitSource>,
) -> Result<(), StoreError> {
    let id = before.task.id.as_str();
    let said = before.task.waits_for.get(on).copied();
    if said == says {
        return Ok(());
    }
    match says {
        Some(says) => sql.execute(
            "INSERT INTO dependency (task_id, on_id, says) VALUES ($1, $2, $3) \
             ON CONFLICT (task_id, on_id) DO UPDATE SET says = $3",
            &[id.into(), on.as_str().into(), source_text(says).into()],
        )?,
        None => sql.execute(
            "DELETE FROM dependency WHERE task_id = $1 AND on_id = $2",
            &[id.into(), on.as_str().into()],
        )?,
    };
    if !load(sql, on)?.task.is_open() {
        return Ok(());
    }
    let gone = said.map_or(Blockers::default(), |said| Blockers::counted(said, -1));
    let new = says.map_or(Blockers::default(), |says| Blockers::counted(says, 1));
    let more = Blockers {
        all: gone.all + new.all,
        turn: gone.turn + new.turn,
    };
    count_blockers(sql, &before.project, &before.path, more)
}

/// How many open tasks something waits for, in all and because of the order of its plan alone; or how many more.
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

    pub(super) fn counted(says: WaitSource, count: i64) -> Self {
        Self {
            all: count,
            turn: if says == WaitSource::Order { count } else { 0 },
        }
    }

    pub(super) fn less(self) -> Self {
        Self {
            all: -self.all,
            turn: -self.turn,
        }
    }
}

/// A task waits for more or fewer, and with it everything in it.
pub(super) fn count_blockers<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    path: &TreePath,
    more: Blockers,
) -> Result<(), StoreError> {
    sql.execute(
        "UPDATE task SET blockers = blockers + $4, turn_blockers = turn_blockers + $5 \
         WHERE project_id = $1 AND path >= $2 AND path < $3",
        &[
            project.0.as_str().into(),
            path.as_str().into(),
            path.end().as_str().into(),
            more.all.into(),
            more.turn.into(),
        ],
    )?;
    Ok(())
}
