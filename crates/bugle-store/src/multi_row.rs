//! Inserts many rows with few statements: on a remote server, every statement costs a round trip.

use crate::StoreError;
use crate::connection::Connection;
use crate::row::Value;

/// Maximum number of parameters in a statement. `SQLite` permits 32,766, and Postgres 65,535.
pub(crate) const MAX_PARAMETERS: usize = 30_000;

/// Inserts rows; returns how many were inserted. `columns` is a comma-separated list, and `rest` the end of the
/// statement.
pub(crate) fn insert_rows<R: AsRef<[Value]>>(
    db: &mut Connection,
    table: &str,
    columns: &str,
    rows: &[R],
    rest: &str,
) -> Result<usize, StoreError> {
    let mut inserted = 0;
    for (statement, parameters) in statements(table, columns, rows, rest) {
        inserted += db.execute(&statement, &parameters)?;
    }
    Ok(inserted)
}

/// Like [`insert_rows`], for callers that do not need the number of rows.
pub(crate) fn write_rows<R: AsRef<[Value]>>(
    db: &mut Connection,
    table: &str,
    columns: &str,
    rows: &[R],
    rest: &str,
) -> Result<(), StoreError> {
    for (statement, parameters) in statements(table, columns, rows, rest) {
        db.write(&statement, &parameters)?;
    }
    Ok(())
}

fn statements<R: AsRef<[Value]>>(
    table: &str,
    columns: &str,
    rows: &[R],
    rest: &str,
) -> Vec<(String, Vec<Value>)> {
    let width = columns.split(',').count();
    let statement = |rows: &[R]| {
        let values: Vec<String> = (0..rows.len())
            .map(|row| {
                let places: Vec<String> = (1..=width)
                    .map(|column| format!("${}", row * width + column))
                    .collect();
                format!("({})", places.join(", "))
            })
            .collect();
        let values = values.join(", ");
        let text = format!("INSERT INTO {table} ({columns}) VALUES {values} {rest}");
        let parameters = rows.iter().flat_map(AsRef::as_ref).cloned().collect();
        (text.trim_end().to_owned(), parameters)
    };
    rows.chunks(MAX_PARAMETERS / width).map(statement).collect()
}
