//! Backups, before a migration and on request. A backup gets its final name only after it is complete, checked and on
//! disk, so a file with that name is never a partial copy.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Sqlite, errors, permissions};
use crate::StoreError;

/// The file extensions of a finished and an unfinished backup.
const FINISHED: &str = ".backup";
const UNFINISHED: &str = ".backup.part";

impl Sqlite {
    /// Copies the database into a new file, in one read transaction.
    pub(crate) fn back_up_to(&self, part: &Path) -> Result<(), StoreError> {
        copy(&self.file, part)
    }

    /// Writes a backup of this schema version next to the database.
    pub(crate) fn back_up(&self, version: i64) -> Result<(), StoreError> {
        keep(&self.file, version)
    }
}

/// Turns a complete copy into a store: enables the write-ahead log, syncs the file, and gives it its final name.
pub(crate) fn finish(part: &Path, finished: &Path) -> Result<(), StoreError> {
    let explain = |error: rusqlite::Error| store_error(part, &error);
    let connection = Connection::open_with_flags(part, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(explain)?;
    // The journal mode is stored in the file. Closing the connection removes the empty log.
    connection
        .pragma_update(None, "journal_mode", "WAL")
        .map_err(explain)?;
    connection.close().map_err(|(_, error)| explain(error))?;
    let _ = fs::remove_file(beside(part, "-queue"));
    settle(part, finished)
}

/// Copies the database in `file` to `FILE.schema-VERSION.backup`. The caller holds the write lock, so the copy
/// contains exactly the data that is migrated, and no other process writes the same backup.
fn keep(file: &Path, version: i64) -> Result<(), StoreError> {
    remove_leftovers(file);
    let part = beside(file, &format!(".schema-{version}{UNFINISHED}"));
    let kept = copy(file, &part)
        .and_then(|()| check(&part, version))
        .and_then(|()| settle(&part, &beside(file, &format!(".schema-{version}{FINISHED}"))));
    if kept.is_err() {
        remove_leftovers(file);
    }
    kept.map_err(|error| match error {
        // The error names the store, because the user does not know the temporary copy.
        StoreError::Full(_) => StoreError::Full(file.display().to_string()),
        other => other,
    })
}

/// The path of a file next to the database, with this ending.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(file);
    name.push(ending);
    name.into()
}

/// Removes unfinished backups that killed processes left behind.
fn remove_leftovers(file: &Path) {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    let beginning = format!("{name}.schema-");
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let found = entry.file_name();
        let is_leftover = found
            .to_str()
            .is_some_and(|found| found.starts_with(&beginning) && found.contains(UNFINISHED));
        if is_leftover {
            // Ignore errors: the next copy overwrites the leftover or fails.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn copy(file: &Path, part: &Path) -> Result<(), StoreError> {
    permissions::create(part);
    let target = part
        .to_str()
        .ok_or_else(|| failed(part, "the backup's path is not valid UTF-8".to_owned()))?;
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|error| store_error(file, &error))?;
    connection
        .execute("VACUUM INTO ?1", [target])
        .map_err(|error| store_error(part, &error))?;
    Ok(())
}

/// Checks a copy's integrity and schema version.
fn check(copy: &Path, version: i64) -> Result<(), StoreError> {
    let explain = |error: rusqlite::Error| store_error(copy, &error);
    let connection = Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(explain)?;
    let found: i64 = connection
        .query_row("PRAGMA user_version", [], |row| row.get(0))
        .map_err(explain)?;
    if found != version {
        return Err(failed(
            copy,
            format!("the backup has schema {found} instead of {version}"),
        ));
    }
    let verdict: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(explain)?;
    if verdict == "ok" {
        Ok(())
    } else {
        Err(failed(copy, verdict))
    }
}

/// Syncs a copy and gives it its final name.
fn settle(part: &Path, finished: &Path) -> Result<(), StoreError> {
    let settled = || -> std::io::Result<()> {
        File::open(part)?.sync_all()?;
        fs::rename(part, finished)?;
        match finished.parent() {
            Some(folder) => File::open(folder)?.sync_all(),
            None => Ok(()),
        }
    };
    settled().map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull => StoreError::Full(part.display().to_string()),
        _ => failed(part, error.to_string()),
    })
}

fn failed(file: &Path, why: String) -> StoreError {
    StoreError::NoBackup {
        database: file.display().to_string(),
        why,
    }
}

fn store_error(file: &Path, error: &rusqlite::Error) -> StoreError {
    match errors::store_error(file, error) {
        full @ StoreError::Full(_) => full,
        other => failed(file, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(folder: &Path) -> PathBuf {
        let file = folder.join("bugle.db");
        let connection = Connection::open(&file).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1); PRAGMA user_version = 7")
            .unwrap();
        file
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("schema"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_backup_replaces_a_broken_one_and_removes_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let file = store(folder.path());
        for leftover in [
            "schema-7.backup",
            "schema-7.backup.part",
            "schema-6.backup.part-journal",
        ] {
            fs::write(folder.path().join(format!("bugle.db.{leftover}")), "garbage").unwrap();
        }
        keep(&file, 7).unwrap();
        assert_eq!(names(folder.path()), ["bugle.db.schema-7.backup"]);
        check(&folder.path().join("bugle.db.schema-7.backup"), 7).unwrap();
    }

    #[test]
    fn a_backup_of_another_schema_or_of_a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = store(folder.path());
        assert!(matches!(keep(&file, 8).unwrap_err(), StoreError::NoBackup { .. }));
        assert!(names(folder.path()).is_empty(), "no partial backup remains");
        fs::write(&file, [0xa5; 8192]).unwrap();
        assert!(keep(&file, 7).is_err());
        assert!(names(folder.path()).is_empty());
    }
}
