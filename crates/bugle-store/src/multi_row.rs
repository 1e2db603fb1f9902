//! Inserts many rows with few statements: on a distant server, every statement costs a round trip.

use crate::StoreError;
use crate::connection::Connection;
use crate::row::Value;

/// Maximum number of parameters in a statement. `SQLite` permits 32,766, and Postgres 65,535.
const MAX_PARAMETERS: usize = 30_000;

/// Inserts rows; returns how many were inserted. `columns` is a comma-separated list, and `rest` the end of the statement.
pub(crate) fn insert_rows<R: AsRef<[Value]>>(
    db: &mut Connection,
    table: &str,
    columns: &str,
    rows: &[R],
    rest: &str,
) -> Result<usize, StoreError> {
    let width = columns.split(',').count();
    let mut inserted = 0;
    for rows in rows.chunks(MAX_PARAMETERS / width) {
        let values: Vec<String> = (0..rows.len())
            .map(|row| {
                let places: Vec<String> = (1..=width)
                    .map(|column| format!("${}", row * width + column))
                    .collect();
                format!("({})", places.join(", "))
            })
            .collect();
        let parameters: Vec<Value> = rows.iter().flat_map(AsRef::as_ref).cloned().collect();
        let values = values.join(", ");
        inserted += db.execute(
            format!("INSERT INTO {table} ({columns}) VALUES {values} {rest}").trim_end(),
            &parameters,
        )?;
    }
    Ok(inserted)
}
