//! What the statements about tasks and plans share.

use bugle_core::id::{ContentHash, PlanId, TaskId, Timestamp};
use bugle_core::task::TreePath;

use super::PlanRow;
use crate::StoreError;
use crate::sql::{Row, Value};
use crate::store::ProjectId;

pub(super) const PLAN_COLUMNS: &str = "id, project_id, file, title, source, branch, root_id, imported_at";

pub(super) fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(what.to_string())
}

pub(super) fn plan_row(row: &Row) -> Result<PlanRow, StoreError> {
    Ok(PlanRow {
        id: PlanId::parse(&row.text(0)?).map_err(unreadable)?,
        project: ProjectId(row.text(1)?),
        file: row.text(2)?,
        title: row.text(3)?,
        source: ContentHash::from_stored(row.text(4)?),
        branch: row.optional_text(5)?,
        root: TaskId::parse(&row.text(6)?).map_err(unreadable)?,
        imported_at: Timestamp(row.int(7)?),
    })
}

/// The ids are a-z and 0-9 throughout, so everything with this beginning lies before it with a `~`.
pub(super) fn beginning(prefix: &str) -> [Value; 2] {
    [prefix.into(), format!("{prefix}~").as_str().into()]
}

/// The part of a project that is meant, as parameters 1 to 3.
pub(crate) fn range(project: &ProjectId, within: Option<&TreePath>) -> Vec<Value> {
    let project = project.0.as_str().into();
    match within {
        // Paths are of hexadecimal digits throughout.
        None => vec![project, "".into(), "g".into()],
        Some(path) => vec![project, path.as_str().into(), path.end().as_str().into()],
    }
}
