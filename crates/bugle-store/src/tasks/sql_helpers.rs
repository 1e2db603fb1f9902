//! Helpers for statements about tasks and plans.

use bugle_core::id::{ContentHash, PlanId, TaskId, Timestamp};
use bugle_core::task::TreePath;

use super::PlanRow;
use crate::ProjectId;
use crate::StoreError;
use crate::connection::Connection;
use crate::row::{Row, Value};

pub(super) const PLAN_COLUMNS: &str = "id, project_id, file, title, source, branch, root_id, imported_at";

pub(super) fn unreadable(what: impl std::fmt::Display) -> StoreError {
    StoreError::Unreadable(what.to_string())
}

pub(super) fn plan_row(row: &Row) -> Result<PlanRow, StoreError> {
    Ok(PlanRow {
        id: PlanId::parse(&row.text("id")?).map_err(unreadable)?,
        project: ProjectId(row.text("project_id")?),
        file: row.text("file")?,
        title: row.text("title")?,
        source: ContentHash::from_stored(row.text("source")?),
        branch: row.optional_text("branch")?,
        root: TaskId::parse(&row.text("root_id")?).map_err(unreadable)?,
        imported_at: Timestamp(row.int("imported_at")?),
    })
}

/// The bounds of an id prefix. Ids consist of a-z and 0-9, so every id with this prefix sorts before the prefix
/// followed by `~`.
pub(super) fn prefix_bounds(prefix: &str) -> [Value; 2] {
    [prefix.into(), format!("{prefix}~").as_str().into()]
}

/// The comma-separated placeholders for these parameters, starting at the given number.
pub(super) fn places(first: usize, parameters: &[Value]) -> String {
    let places: Vec<String> = (first..=parameters.len())
        .map(|place| format!("${place}"))
        .collect();
    places.join(", ")
}

/// A project or one of its subtrees as parameters 1 to 3.
pub(crate) fn range(project: &ProjectId, within: Option<&TreePath>) -> Vec<Value> {
    let project = project.0.as_str().into();
    match within {
        // Paths consist of hexadecimal digits, so `g` sorts after every path.
        None => vec![project, "".into(), "g".into()],
        Some(path) => vec![project, path.as_str().into(), path.end().as_str().into()],
    }
}

/// Changes a parent's child counts. Does nothing without a parent.
pub(super) fn count_child(
    db: &mut Connection,
    parent: Option<&TaskId>,
    children: i64,
    open: i64,
) -> Result<(), StoreError> {
    if let Some(parent) = parent {
        db.execute(
            "UPDATE task SET children = children + $2, open_children = open_children + $3 WHERE id = $1",
            &[parent.as_str().into(), children.into(), open.into()],
        )?;
    }
    Ok(())
}
