//! `SQLite`. One file, write-ahead log, and nobody pays for closing it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use crate::StoreError;
use crate::patience::{Patience, wait_a_little, waiting};
use crate::private;
use crate::queue;
use crate::schema::{MIGRATIONS, migrate, pending};
use crate::sql::{Row, Sql, Value};
use crate::store::SqlStore;

// Earlier versions can damage a database whose write-ahead log is reset at the wrong moment.
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003);

/// A log beyond this is folded into the file when the store is closed: every process that opens it alone reads it all.
const LARGEST_LOG: u64 = 256 * 1024;
/// How many statements are kept ready. A wake-up asks about thirty different ones, and some of them again.
const MOST_STATEMENTS: usize = 64;

/// A store in a `SQLite` file.
pub type SqliteStore = SqlStore<Lite>;

/// What a commit must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Loss of power: what somebody was told is done stays done.
    Full,
    /// A crash of the program; the last moments may be lost with the power.
    Normal,
}

/// Opens the store in `file`: creates it if there is none, and upgrades an older one after a backup.
pub fn open(file: &Path, durability: Durability) -> Result<SqliteStore, StoreError> {
    open_with(file, durability, MIGRATIONS, &mut |_| ())
}

/// The same, and reports what takes long.
pub fn open_reporting(
    file: &Path,
    durability: Durability,
    report: &mut dyn FnMut(&str),
) -> Result<SqliteStore, StoreError> {
    open_with(file, durability, MIGRATIONS, report)
}

/// Opens the store for a client's hook, which gives up early and never upgrades an older store: that copies all of it.
pub fn open_for_hook(file: &Path, durability: Durability) -> Result<SqliteStore, StoreError> {
    let mut lite = Lite::connect(file, durability, Patience::Short)?;
    match pending(&mut lite, file, MIGRATIONS)? {
        None => {}
        Some(0) => migrate(&mut lite, file, "BLOB", MIGRATIONS, &mut |_| ())?,
        Some(found) => {
            return Err(StoreError::Older {
                file: file.to_owned(),
                found,
            });
        }
    }
    Ok(SqlStore::new(lite))
}

pub(crate) fn open_with(
    file: &Path,
    durability: Durability,
    migrations: &[&str],
    report: &mut dyn FnMut(&str),
) -> Result<SqliteStore, StoreError> {
    let mut lite = Lite::connect(file, durability, Patience::Usual)?;
    if pending(&mut lite, file, migrations)?.is_some() {
        lite.have_patience(Patience::Migration)?;
        migrate(&mut lite, file, "BLOB", migrations, report)?;
        lite.have_patience(Patience::Usual)?;
    }
    Ok(SqlStore::new(lite))
}

/// A connection to a `SQLite` file.
#[derive(Debug)]
pub struct Lite {
    connection: Connection,
    file: PathBuf,
    /// What a commit survives.
    durability: Durability,
    patience: Patience,
    /// When it was opened; a hook's patience is counted from there.
    opened: Instant,
    /// Whether queries see the database as it was at one moment.
    still: bool,
    /// How many transactions are open, one inside the other. Only the outermost is the engine's.
    nested: u32,
    /// Whether one inside has failed, so that nothing of the outermost may last.
    doomed: bool,
}

impl Lite {
    fn connect(file: &Path, durability: Durability, patience: Patience) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let explain = |error: rusqlite::Error| explained(file, &error);
        private::prepare(file);
        let mut connection = Connection::open_with_flags(file, flags).map_err(explain)?;
        connection
            .busy_handler(Some(waiting(patience)))
            .map_err(explain)?;
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
            .map_err(explain)?;
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)
            .map_err(explain)?;
        // Otherwise a statement is made ready anew for every value of its LIMIT. No statement needs that: what an index
        // is made for stands in it as it is, never as a parameter.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(explain)?;
        connection.set_prepared_statement_cache_capacity(MOST_STATEMENTS);
        connection
            .execute_batch(&format!(
                "PRAGMA foreign_keys = ON; PRAGMA synchronous = {};",
                synchronous(durability)
            ))
            .map_err(explain)?;
        let mut lite = Self {
            connection,
            file: file.to_owned(),
            durability,
            patience,
            opened: Instant::now(),
            still: false,
            nested: 0,
            doomed: false,
        };
        if lite.schema_version()? == 0 {
            // Tables without a version are somebody else's.
            if !lite
                .query("SELECT name FROM sqlite_master LIMIT 1", &[])?
                .is_empty()
                && lite.schema_version()? == 0
            {
                return Err(StoreError::Corrupt(file.to_owned()));
            }
            lite.use_log()?;
        }
        Ok(lite)
    }

    /// Turns the write-ahead log on. Two processes that make the file at once get in each other's way here, and
    /// `SQLite` does not call the busy handler for it.
    fn use_log(&mut self) -> Result<(), StoreError> {
        let mut tries = 0;
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                Ok(()) => return Ok(()),
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && wait_a_little(tries) =>
                {
                    tries += 1;
                }
                Err(error) => return Err(explained(&self.file, &error)),
            }
        }
    }

    /// Waits like this from now on.
    fn have_patience(&mut self, patience: Patience) -> Result<(), StoreError> {
        self.patience = patience;
        self.connection
            .busy_handler(Some(waiting(patience)))
            .map_err(|error| explained(&self.file, &error))
    }

    fn log(&self) -> Option<std::fs::Metadata> {
        let mut log = self.file.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).ok()
    }

    fn log_is_long(&self) -> bool {
        self.log().is_some_and(|log| log.len() > LARGEST_LOG)
    }

    /// Waits for the first place among the writers: as long as they get on and there is time left.
    fn first_in_queue(&self) -> Option<queue::FirstPlace> {
        let stamp = || self.log().map(|log| (log.len(), log.modified().ok()));
        let mut seen = stamp();
        let end = match self.patience {
            Patience::Short => self.opened + self.patience.longest(),
            Patience::Usual | Patience::Migration => Instant::now() + self.patience.longest(),
        };
        queue::wait(&self.file, self.patience.still(), || {
            let now = stamp();
            let moves = now != seen;
            seen = now;
            moves && Instant::now() < end
        })
    }
}

impl Drop for Lite {
    fn drop(&mut self) {
        if self.log_is_long() {
            // Nobody waits for this: while others are at work it fails at once, and whoever closes last will do it.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            // Whoever comes next will try again: a log that stays long is slow, not wrong.
            let _ = self
                .connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

pub(crate) fn explained(file: &Path, error: &rusqlite::Error) -> StoreError {
    let file = file.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked(file),
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly(file),
        Some(ErrorCode::DiskFull) => StoreError::Full(file),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Corrupt(file),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => StoreError::CannotOpen {
            file,
            why: error.to_string(),
        },
        _ => StoreError::Engine {
            file,
            why: error.to_string(),
        },
    }
}

/// The engine's word for what a commit survives.
fn synchronous(durability: Durability) -> &'static str {
    match durability {
        Durability::Full => "FULL",
        Durability::Normal => "NORMAL",
    }
}

/// `SQLite` takes `$2` for a name and numbers it by first appearance; `?2` is the second parameter wherever it stands.
fn numbered(statement: &str) -> String {
    statement.replace('$', "?")
}

fn bound(parameters: &[Value]) -> impl Iterator<Item = rusqlite::types::Value> {
    parameters.iter().map(|value| match value {
        Value::Null => rusqlite::types::Value::Null,
        Value::Int(number) => rusqlite::types::Value::Integer(*number),
        Value::Text(text) => rusqlite::types::Value::Text(text.clone()),
        Value::Blob(bytes) => rusqlite::types::Value::Blob(bytes.clone()),
    })
}

impl Sql for Lite {
    fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        // Some errors end a transaction; what its work goes on to write would last by itself.
        if self.nested > 0 && self.connection.is_autocommit() {
            return Err(StoreError::Engine {
                file: self.file.clone(),
                why: "the transaction was ended by an earlier error".to_owned(),
            });
        }
        self.let_go()?;
        let mut prepared = self
            .connection
            .prepare_cached(&numbered(statement))
            .map_err(|error| explained(&self.file, &error))?;
        prepared
            .execute(params_from_iter(bound(parameters)))
            .map_err(|error| explained(&self.file, &error))
    }

    fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        let explain = |error: rusqlite::Error| explained(&self.file, &error);
        let mut prepared = self
            .connection
            .prepare_cached(&numbered(statement))
            .map_err(explain)?;
        let columns = prepared.column_count();
        let mut rows = prepared
            .query(params_from_iter(bound(parameters)))
            .map_err(explain)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(explain)? {
            let mut values = Vec::with_capacity(columns);
            for column in 0..columns {
                values.push(match row.get_ref(column).map_err(explain)? {
                    ValueRef::Null => Value::Null,
                    ValueRef::Integer(number) => Value::Int(number),
                    ValueRef::Text(text) => Value::Text(
                        String::from_utf8(text.to_vec())
                            .map_err(|_| StoreError::Unreadable("a text is not UTF-8".to_owned()))?,
                    ),
                    ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
                    ValueRef::Real(number) => {
                        return Err(StoreError::Unreadable(format!(
                            "a fraction stands where none is kept: {number}"
                        )));
                    }
                });
            }
            found.push(Row(values));
        }
        Ok(found)
    }

    fn batch(&mut self, statements: &str) -> Result<(), StoreError> {
        self.connection
            .execute_batch(statements)
            .map_err(|error| explained(&self.file, &error))
    }

    fn hold_still(&mut self) -> Result<(), StoreError> {
        if self.nested == 0 && !self.still {
            self.batch("BEGIN DEFERRED")?;
            self.still = true;
        }
        Ok(())
    }

    fn let_go(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.still) {
            self.batch("COMMIT")?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        self.let_go()?;
        if self.nested == 0 {
            // To write at once is to wait at once: a transaction that began reading could not be promised the write.
            let first_place = self
                .first_in_queue()
                .ok_or_else(|| StoreError::Locked(self.file.clone()))?;
            self.batch("BEGIN IMMEDIATE")?;
            drop(first_place);
        }
        self.nested += 1;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.nested == 1 {
            if self.doomed {
                // The caller rolls back, as after every commit that fails.
                return Err(StoreError::Engine {
                    file: self.file.clone(),
                    why: "a part of the transaction failed, so all of it was undone".to_owned(),
                });
            }
            self.batch("COMMIT")?;
        }
        self.nested = self.nested.saturating_sub(1);
        Ok(())
    }

    fn rollback(&mut self) {
        // What failed inside fails the whole, at its end: whatever the whole still writes must not last either.
        self.doomed = self.nested > 1;
        if self.nested == 1 {
            // Some errors have ended the transaction already, and then there is nothing to forget.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        self.nested = self.nested.saturating_sub(1);
    }

    fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError> {
        let until_now = self.durability;
        self.let_go()?;
        if durability != until_now && self.nested == 0 {
            self.batch(&format!("PRAGMA synchronous = {}", synchronous(durability)))?;
            self.durability = durability;
        }
        Ok(until_now)
    }

    fn schema_version(&mut self) -> Result<i64, StoreError> {
        self.connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| explained(&self.file, &error))
    }

    fn set_schema_version(&mut self, version: i64) -> Result<(), StoreError> {
        self.batch(&format!("PRAGMA user_version = {version}"))
    }

    fn changes(&mut self) -> Result<i64, StoreError> {
        let rows = self.query("PRAGMA data_version", &[])?;
        rows.first().map_or(Ok(0), |row| row.int(0))
    }

    fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        for row in self.query("PRAGMA integrity_check", &[])? {
            let line = row.text(0)?;
            if line != "ok" {
                faults.push(line);
            }
        }
        for row in self.query("PRAGMA foreign_key_check", &[])? {
            faults.push(format!(
                "a row of {} refers to one that is not there",
                row.text(0)?
            ));
        }
        Ok(faults)
    }

    fn back_up(&mut self, version: i64) -> Result<(), StoreError> {
        crate::backup::keep(&self.file, version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store as _;

    #[test]
    fn parameters_are_numbered_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut lite = Lite::connect(&folder.path().join("a.db"), Durability::Full, Patience::Usual).unwrap();
        let rows = lite
            .query("SELECT $2, $1", &[Value::Int(1), Value::Int(2)])
            .unwrap();
        assert_eq!(rows[0].0, [Value::Int(2), Value::Int(1)]);
    }

    #[test]
    fn a_copy_is_kept_before_the_schema_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bugle.db");
        let mut store = open(&file, Durability::Full).unwrap();
        store
            .project("/somewhere", "p-1", bugle_core::id::Timestamp(1))
            .unwrap();
        drop(store);
        let later: Vec<&str> = MIGRATIONS
            .iter()
            .copied()
            .chain(["CREATE TABLE more (id TEXT)"])
            .collect();
        drop(open_with(&file, Durability::Full, &later, &mut |_| ()).unwrap());
        assert!(
            folder
                .path()
                .join(format!("bugle.db.schema-{}.backup", MIGRATIONS.len()))
                .exists()
        );
        let error = open(&file, Durability::Full).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    }
}
