//! `SQLite`: one file with a write-ahead log.

mod backup;
mod copy;
mod errors;
mod permissions;
mod stall;
mod wait;
mod write_lock;
mod write_queue;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, StatementStatus, params_from_iter};

pub(crate) use self::backup::finish as finish_backup;
use self::errors::store_error;
pub(crate) use self::wait::Patience;
use self::wait::{wait_as_usual, waiting};

use crate::Durability;
use crate::StoreError;
use crate::row::{Row, Value};
use crate::statement_log::LoggedStatement;

// In earlier SQLite versions, a WAL reset at the wrong moment can damage the database.
const _: () = assert!(rusqlite::ffi::SQLITE_VERSION_NUMBER >= 3_051_003);

/// If the write-ahead log exceeds this size, closing the store checkpoints it. Otherwise the first process to open the
/// store would have to read the whole log.
const MAX_LOG_BYTES: u64 = 256 * 1024;
/// The size of the statement cache. A wake-up uses about thirty statements, some of them repeatedly.
const MAX_STATEMENTS: usize = 64;

/// A connection to a `SQLite` file.
#[derive(Debug)]
pub(crate) struct Sqlite {
    connection: Connection,
    file: PathBuf,
    /// The durability of commits.
    durability: Durability,
    patience: Patience,
    /// When the connection was opened; a hook's waiting time counts from here.
    opened: Instant,
    /// The executed statements, if a test asked for a log.
    log: Option<Vec<LoggedStatement>>,
}

impl Sqlite {
    pub(crate) fn connect(
        file: &Path,
        durability: Durability,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        if patience != Patience::Short {
            return Self::connect_patiently(file, durability, patience);
        }
        let is_stalled = stall::is_recorded(file);
        let patience = if is_stalled { Patience::Brief } else { patience };
        Self::connect_patiently(file, durability, patience).map_err(|error| match error {
            StoreError::Locked(name) if is_stalled => StoreError::StillLocked(name),
            StoreError::Locked(_) => {
                stall::record(file);
                error
            }
            _ => error,
        })
    }

    fn connect_patiently(
        file: &Path,
        durability: Durability,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let explain = |error: rusqlite::Error| store_error(file, &error);
        permissions::prepare(file);
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
        // Without this, SQLite prepares a statement again for every value of its LIMIT. No statement needs that:
        // conditions of partial indexes are literals, never parameters.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(explain)?;
        connection.set_prepared_statement_cache_capacity(MAX_STATEMENTS);
        connection
            .execute_batch(&format!(
                "PRAGMA foreign_keys = ON; PRAGMA synchronous = {};",
                synchronous(durability)
            ))
            .map_err(explain)?;
        let mut sqlite = Self {
            connection,
            file: file.to_owned(),
            durability,
            patience,
            opened: Instant::now(),
            log: None,
        };
        if sqlite.schema_version()? == 0 {
            // Tables without a schema version belong to another program.
            if !sqlite
                .query("SELECT name FROM sqlite_master LIMIT 1", &[])?
                .is_empty()
                && sqlite.schema_version()? == 0
            {
                return Err(StoreError::Corrupt(file.display().to_string()));
            }
            sqlite.enable_wal()?;
        }
        Ok(sqlite)
    }

    /// Turns on the write-ahead log. Retries if two processes create the file at once, because `SQLite` does not call
    /// the busy handler here.
    fn enable_wal(&mut self) -> Result<(), StoreError> {
        let mut tries = 0;
        loop {
            match self.connection.pragma_update(None, "journal_mode", "WAL") {
                Ok(()) => return Ok(()),
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && wait_as_usual(tries) =>
                {
                    tries += 1;
                }
                Err(error) => return Err(store_error(&self.file, &error)),
            }
        }
    }

    pub(super) fn set_patience(&mut self, patience: Patience) -> Result<(), StoreError> {
        self.patience = patience;
        self.connection
            .busy_handler(Some(waiting(patience)))
            .map_err(|error| store_error(&self.file, &error))
    }

    fn log(&self) -> Option<std::fs::Metadata> {
        let mut log = self.file.clone().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).ok()
    }

    fn log_is_long(&self) -> bool {
        self.log().is_some_and(|log| log.len() > MAX_LOG_BYTES)
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        if self.log_is_long() {
            // Do not wait: the checkpoint fails while other processes use the file, and succeeds in the last process
            // to close it.
            let _ = self.connection.busy_timeout(Duration::ZERO);
            // Ignore errors: the next process tries again, and a long log is slow but harmless.
            let _ = self
                .connection
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        }
    }
}

/// The value of `PRAGMA synchronous`.
fn synchronous(durability: Durability) -> &'static str {
    match durability {
        Durability::Full => "FULL",
        Durability::Normal => "NORMAL",
    }
}

/// Replaces `$2` with `?2`: `SQLite` numbers `$` parameters by first appearance, but `?2` is always the second one.
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

impl Sqlite {
    pub(super) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        if self.in_transaction() {
            return self.execute_now(statement, parameters);
        }
        self.with_write_lock(|sqlite| sqlite.execute_now(statement, parameters))
    }

    fn execute_now(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        let mut prepared = self
            .connection
            .prepare_cached(&numbered(statement))
            .map_err(|error| store_error(&self.file, &error))?;
        let changed = prepared
            .execute(params_from_iter(bound(parameters)))
            .map_err(|error| store_error(&self.file, &error))?;
        if let Some(log) = &mut self.log {
            let steps = prepared.reset_status(StatementStatus::VmStep);
            log.push(LoggedStatement::new(statement, parameters, steps));
        }
        Ok(changed)
    }

    pub(super) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        let explain = |error: rusqlite::Error| store_error(&self.file, &error);
        let mut prepared = self
            .connection
            .prepare_cached(&numbered(statement))
            .map_err(explain)?;
        let names: Arc<[String]> = prepared.column_names().map(str::to_owned).collect();
        let columns = names.len();
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
                            .map_err(|_| StoreError::Unreadable("a string is not valid UTF-8".to_owned()))?,
                    ),
                    ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
                    ValueRef::Real(number) => {
                        return Err(StoreError::Unreadable(format!(
                            "unexpected floating-point number: {number}"
                        )));
                    }
                });
            }
            found.push(Row::new(Arc::clone(&names), values));
        }
        drop(rows);
        if let Some(log) = &mut self.log {
            let steps = prepared.reset_status(StatementStatus::VmStep);
            log.push(LoggedStatement::new(statement, parameters, steps));
        }
        Ok(found)
    }

    pub(super) fn batch(&mut self, statements: &str) -> Result<(), StoreError> {
        self.connection
            .execute_batch(statements)
            .map_err(|error| store_error(&self.file, &error))?;
        if let Some(log) = &mut self.log {
            log.push(LoggedStatement::new(statements, &[], 0));
        }
        Ok(())
    }

    /// Starts logging statements and their cost.
    pub(super) fn start_statement_log(&mut self) {
        // Cached statements carry counters from earlier uses.
        self.connection.flush_prepared_statement_cache();
        self.log = Some(Vec::new());
    }

    pub(super) fn end_statement_log(&mut self) -> Vec<LoggedStatement> {
        self.log.take().unwrap_or_default()
    }

    pub(super) fn begin_read(&mut self) -> Result<(), StoreError> {
        self.batch("BEGIN DEFERRED")
    }

    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        self.batch("COMMIT")
    }

    pub(super) fn rollback(&mut self) {
        // Some errors have ended the transaction already.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    pub(super) fn in_transaction(&self) -> bool {
        !self.connection.is_autocommit()
    }

    pub(super) fn name(&self) -> String {
        self.file.display().to_string()
    }

    pub(super) fn failure(&self, why: &str) -> StoreError {
        StoreError::Engine {
            database: self.name(),
            why: why.to_owned(),
        }
    }

    pub(super) fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError> {
        let before = self.durability;
        if durability != before {
            self.batch(&format!("PRAGMA synchronous = {}", synchronous(durability)))?;
            self.durability = durability;
        }
        Ok(before)
    }

    pub(super) fn schema_version(&mut self) -> Result<i64, StoreError> {
        self.connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| store_error(&self.file, &error))
    }

    pub(super) fn set_schema_version(&mut self, version: i64) -> Result<(), StoreError> {
        self.batch(&format!("PRAGMA user_version = {version}"))
    }

    pub(super) fn data_version(&mut self) -> Result<i64, StoreError> {
        self.connection
            .query_row("PRAGMA data_version", [], |row| row.get(0))
            .map_err(|error| store_error(&self.file, &error))
    }

    pub(super) fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        let mut faults = Vec::new();
        for row in self.query("PRAGMA integrity_check", &[])? {
            let line = row.text("integrity_check")?;
            if line != "ok" {
                faults.push(line);
            }
        }
        for row in self.query("PRAGMA foreign_key_check", &[])? {
            faults.push(format!(
                "a row of {} refers to a row that does not exist",
                row.text("table")?
            ));
        }
        Ok(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_numbered_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut sqlite =
            Sqlite::connect(&folder.path().join("a.db"), Durability::Full, Patience::Usual).unwrap();
        let rows = sqlite
            .query("SELECT $2, $1", &[Value::Int(1), Value::Int(2)])
            .unwrap();
        assert_eq!(rows[0].values(), [Value::Int(2), Value::Int(1)]);
    }
}
