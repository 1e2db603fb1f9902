//! The store: opening it, and its transactions. Each subject adds its queries in its own module.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::StoreError;
use crate::connection::Connection;
use crate::durability::Durability;
use crate::engine::Engine;
use crate::postgres::Postgres;
use crate::schema::{MIGRATIONS, migrate, pending};
use crate::sqlite::{Patience, Sqlite};
use crate::statement_log::LoggedStatement;
use crate::write_scope::WriteScope;

/// A connection to Bugle's database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
}

/// A store inside a transaction: it reads one consistent state, and its writes are committed together.
///
/// A function that takes a `Transaction` relies on that. A function that takes a [`Store`] works inside and outside one.
#[derive(Debug)]
pub struct Transaction<'store>(&'store mut Store);

impl Deref for Transaction<'_> {
    type Target = Store;

    fn deref(&self) -> &Store {
        self.0
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut Store {
        self.0
    }
}

impl Store {
    /// Opens the store in `file`: creates it if there is none, and upgrades an older one after a backup.
    pub fn open(file: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_reporting(file, durability, &mut |_| ())
    }

    /// Opens the store, and reports slow work.
    pub fn open_reporting(
        file: &Path,
        durability: Durability,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        Self::open_with(file, durability, MIGRATIONS, report)
    }

    /// Opens the store for a client's hook: waits briefly for other writers and never upgrades an older store, since that
    /// copies all of it.
    pub fn open_for_hook(file: &Path, durability: Durability) -> Result<Self, StoreError> {
        let sqlite = Sqlite::connect(file, durability, Patience::Short)?;
        Self::ready_for_hook(Engine::Sqlite(sqlite))
    }

    fn ready_for_hook(engine: Engine) -> Result<Self, StoreError> {
        let mut connection = Connection::new(engine);
        match pending(&mut connection, MIGRATIONS)? {
            None => {}
            Some(0) => migrate(&mut connection, MIGRATIONS, &mut |_| ())?,
            Some(found) => {
                return Err(StoreError::Older {
                    database: connection.engine().name(),
                    found,
                });
            }
        }
        Ok(Self { connection })
    }

    /// Opens the store in a Postgres database: creates its tables if there are none, and upgrades older ones. `variables`
    /// looks up the environment variables that `libpq` reads.
    pub fn open_url(
        url: &str,
        variables: &dyn Fn(&str) -> Option<String>,
        durability: Durability,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, variables, durability, Patience::Usual)?;
        Self::upgraded(Engine::Postgres(Box::new(postgres)), MIGRATIONS, report)
    }

    /// Opens the store in a Postgres database for a client's hook: everything together waits for less than a second, and
    /// older tables are not upgraded.
    pub fn open_url_for_hook(
        url: &str,
        variables: &dyn Fn(&str) -> Option<String>,
        durability: Durability,
    ) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, variables, durability, Patience::Short)?;
        Self::ready_for_hook(Engine::Postgres(Box::new(postgres)))
    }

    /// Whether this is the URL of a store, not a file.
    pub fn is_url(text: &str) -> bool {
        crate::postgres::is_url(text)
    }

    /// The store's name in messages: its file, or its URL without the password.
    pub fn name(&mut self) -> String {
        self.connection.engine().name()
    }

    pub(crate) fn open_with(
        file: &Path,
        durability: Durability,
        migrations: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        let sqlite = Sqlite::connect(file, durability, Patience::Usual)?;
        Self::upgraded(Engine::Sqlite(sqlite), migrations, report)
    }

    fn upgraded(
        engine: Engine,
        migrations: &[&str],
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        let mut connection = Connection::new(engine);
        if pending(&mut connection, migrations)?.is_some() {
            connection.engine().wait_for_writers(Patience::Migration)?;
            migrate(&mut connection, migrations, report)?;
            connection.engine().wait_for_writers(Patience::Usual)?;
        }
        Ok(Self { connection })
    }

    /// Does `work` in one transaction that no other writer interrupts: all of it is committed, or nothing. Inside another
    /// transaction it is a part of that: if it fails, all of the outer one is rolled back.
    pub fn transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Store, work)
    }

    /// A transaction whose functions lock what they read before they change it: only other writers of the same rows have
    /// to wait for it.
    pub fn row_transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Rows, work)
    }

    pub(crate) fn transaction_in<T, E: From<StoreError>>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.connection.begin(scope)?;
        let done = work(&mut Transaction(self));
        self.connection.end(done)
    }

    /// A transaction whose commit does not wait for the disk: a loss of power may undo it.
    pub(crate) fn relaxed_transaction_in<T, E: From<StoreError>>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let usual = self.connection.set_durability(Durability::Normal)?;
        let done = self.transaction_in(scope, work);
        let restored = self.connection.set_durability(usual);
        let value = done?;
        restored?;
        Ok(value)
    }

    /// Makes all queries read one snapshot, until `end_snapshot` or the first write.
    pub fn begin_snapshot(&mut self) -> Result<(), StoreError> {
        self.connection.begin_snapshot()
    }

    /// Ends the snapshot.
    pub fn end_snapshot(&mut self) -> Result<(), StoreError> {
        self.connection.end_snapshot()
    }

    /// Does `work`, and logs the statements that it runs.
    pub fn log_statements<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<LoggedStatement>) {
        self.connection.engine().start_statement_log();
        let done = work(self);
        (done, self.connection.engine().end_statement_log())
    }

    /// A number that changes after every commit by another connection.
    pub fn data_version(&mut self) -> Result<i64, StoreError> {
        self.connection.engine().data_version()
    }

    /// The version of the schema.
    pub fn schema(&mut self) -> Result<i64, StoreError> {
        self.connection.engine().schema_version()
    }

    /// The faults that the engine finds in its own data.
    pub fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        self.connection.engine().integrity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_made_before_the_schema_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bugle.db");
        let mut store = Store::open(&file, Durability::Full).unwrap();
        store
            .project("/somewhere", "p-1", bugle_core::id::Timestamp(1))
            .unwrap();
        drop(store);
        let later: Vec<&str> = MIGRATIONS
            .iter()
            .copied()
            .chain(["CREATE TABLE more (id TEXT)"])
            .collect();
        drop(Store::open_with(&file, Durability::Full, &later, &mut |_| ()).unwrap());
        assert!(
            folder
                .path()
                .join(format!("bugle.db.schema-{}.backup", MIGRATIONS.len()))
                .exists()
        );
        let error = Store::open(&file, Durability::Full).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    }
}
