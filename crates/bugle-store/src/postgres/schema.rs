//! The schema version, and migrations in Postgres's SQL dialect.

use tokio_postgres::error::SqlState;

use super::values::read;
use super::{Answer, NoAnswer, Postgres, Progress, rights};
use crate::StoreError;

/// A migration for Postgres. Orders text by code point, as in `SQLite`, regardless of the database's collation.
pub(crate) fn definition(migration: &str) -> String {
    migration
        .replace("BYTES", "BYTEA")
        .replace(" TEXT", " TEXT COLLATE \"C\"")
}

/// Ends a write transaction: counts the commit and notifies the processes that wait for a change. The count is spread
/// over many rows, so that transactions rarely block each other.
pub(super) const COMMIT: &str = "INSERT INTO bugle_commit (slot, commits) VALUES (pg_backend_pid() % 1024, 1) \
     ON CONFLICT (slot) DO UPDATE SET commits = bugle_commit.commits + 1; NOTIFY bugle_commit; COMMIT";

/// The query for the schema version.
pub(crate) const VERSION: &str = "SELECT version FROM bugle_schema";

impl Postgres {
    /// The schema version; 0 for an empty database.
    pub(crate) fn schema_version(&mut self) -> Result<i64, StoreError> {
        // Inside a transaction, check for the table first, because an error would end the transaction.
        if !matches!(self.transaction, Progress::None) {
            let found = self.query(
                "SELECT 1 FROM pg_class WHERE oid = to_regclass('bugle_schema')",
                &[],
            )?;
            if found.is_empty() {
                return Ok(0);
            }
        }
        match self.stored_version()? {
            Some(version) => Ok(version),
            None if !self.has_other_tables()? => Ok(0),
            // Another process may have created all tables in the meantime.
            None => self
                .stored_version()?
                .ok_or_else(|| StoreError::OtherTables(self.name())),
        }
    }

    /// The stored version; `None` if its table does not exist.
    fn stored_version(&mut self) -> Result<Option<i64>, StoreError> {
        let rows = match self.run(VERSION, &[], true) {
            Ok(Answer::Rows(rows)) => read(&rows)?,
            Ok(Answer::Changed(_)) => Vec::new(),
            Err(NoAnswer::Error(error)) if error.code() == Some(&SqlState::UNDEFINED_TABLE) => {
                return Ok(None);
            }
            Err(none) => return Err(self.explain(none)),
        };
        rows.first().map_or(Ok(0), |row| row.int("version")).map(Some)
    }

    fn has_other_tables(&mut self) -> Result<bool, StoreError> {
        let found = self.query(
            "SELECT 1 FROM pg_class WHERE oid IN (to_regclass('project'), to_regclass('run'), to_regclass('event'))",
            &[],
        )?;
        Ok(!found.is_empty())
    }

    /// Sets the schema version, inside a transaction.
    pub(crate) fn set_schema_version(&mut self, version: i64) -> Result<(), StoreError> {
        self.batch(&format!(
            "CREATE TABLE IF NOT EXISTS bugle_schema (version BIGINT NOT NULL); DELETE FROM bugle_schema; \
             INSERT INTO bugle_schema (version) VALUES ({version}); \
             CREATE TABLE IF NOT EXISTS bugle_commit (slot BIGINT PRIMARY KEY, commits BIGINT NOT NULL); {}",
            rights::RECORD_PERSON
        ))?;
        self.renew_rights()
    }

    /// The number of commits by other connections.
    pub(crate) fn data_version(&mut self) -> Result<i64, StoreError> {
        let rows = self.query(
            "SELECT COALESCE(SUM(commits), 0) AS version FROM bugle_commit",
            &[],
        )?;
        let all = rows.first().map_or(Ok(0), |row| row.int("version"))?;
        Ok(all - self.own_commits)
    }
}
