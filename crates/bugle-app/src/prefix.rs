//! Which thing is meant by the beginning of its id.

use crate::AppError;

/// Of the things whose id begins so, the one that is meant: with exactly this id, or the only one. `names` gives the id of
/// one and what tells it apart for people; `hint` says where to look if there is none.
pub(crate) fn meant<T>(
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
            what: format!("{id} is the beginning of several {many}"),
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
