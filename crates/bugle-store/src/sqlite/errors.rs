//! Maps `SQLite` errors to the store's errors.

use std::io::ErrorKind;
use std::path::Path;

use rusqlite::ErrorCode;

use crate::StoreError;

/// Converts a `SQLite` error for the database in this file.
pub(super) fn store_error(file: &Path, error: &rusqlite::Error) -> StoreError {
    let database = file.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(database),
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(database),
        Some(ErrorCode::DiskFull) => StoreError::Full(database),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt(database),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) if is_read_only(Path::new(&database)) => {
            StoreError::ReadOnly(database)
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreError::CannotOpen {
            database,
            why: error.to_string(),
        },
        _ => StoreError::Engine {
            database,
            why: error.to_string(),
        },
    }
}

/// Whether the file exists and is read-only. `SQLite` may then report that it cannot open one of the files next to
/// the database.
fn is_read_only(file: &Path) -> bool {
    let opened = std::fs::OpenOptions::new().append(true).open(file);
    opened.is_err_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
        )
    })
}
