//! Resolves ids and id prefixes.

use bugle_core::id::{PlanId, TaskId};

use crate::AppError;

/// Picks the row with exactly this id, else the only row. `rows` are the rows whose ids start with `id`, `names`
/// returns a row's id and description, and `hint` is shown if `rows` is empty.
pub(crate) fn resolve_prefix<T>(
    mut rows: Vec<T>,
    id: &str,
    kind: (&str, &str),
    names: impl Fn(&T) -> (String, String),
    hint: String,
) -> Result<T, AppError> {
    if let Some(at) = rows.iter().position(|row| names(row).0 == id) {
        return Ok(rows.swap_remove(at));
    }
    let (one, many) = kind;
    match rows.len() {
        1 => Ok(rows.remove(0)),
        0 => Err(AppError::NotFound {
            what: format!("there is no {one} {id}"),
            hints: vec![hint],
        }),
        _ => Err(AppError::Usage {
            what: format!("{id} matches several {many}"),
            hints: rows
                .iter()
                .map(|row| {
                    let (id, about) = names(row);
                    format!("{id} ({about})")
                })
                .collect(),
        }),
    }
}

pub(crate) fn bad_id(bad: &bugle_core::id::BadId) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: vec!["`bugle task list` lists tasks, `bugle plan list` lists plans.".to_owned()],
    }
}

/// Parses a task id or id prefix.
pub fn task_id(text: &str) -> Result<TaskId, AppError> {
    text.parse().map_err(|bad| bad_id(&bad))
}

/// Parses a plan id or id prefix.
pub fn plan_id(text: &str) -> Result<PlanId, AppError> {
    text.parse().map_err(|bad| bad_id(&bad))
}
