//! Opens the store and runs transactions. The other modules add the queries, one module per subject.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use crate::StoreError;
use crate::connection::{Connection, repeat_transaction};
use crate::durability::Durability;
use crate::engine::Engine;
use crate::machine_id::MachineId;
use crate::postgres::{ConnectionDefaults, Postgres};
use crate::schema::{MIGRATIONS, migrate, pending};
use crate::sqlite::{Patience, Sqlite};
use crate::statement_log::LoggedStatement;
use crate::write_scope::WriteScope;

/// A connection to Bugle's database.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    /// The machine to which the rows of sessions, processes and folders belong.
    pub(crate) machine: MachineId,
}

/// A store inside a transaction: it reads from one snapshot and commits all writes together.
///
/// A function that takes a `Transaction` relies on these guarantees. A function that takes a [`Store`] does not.
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

impl Transaction<'_> {
    /// Prevents retries of this transaction, because `work` is about to do something that a rollback cannot undo.
    pub fn forbid_retry(&mut self) {
        self.0.connection.forbid_retry();
    }
}

impl AsMut<Connection> for Store {
    fn as_mut(&mut self) -> &mut Connection {
        &mut self.connection
    }
}

impl Store {
    /// Opens the store in `file`. Creates a missing store; backs up and upgrades a store with an older schema.
    pub fn open(file: &Path, durability: Durability) -> Result<Self, StoreError> {
        Self::open_reporting(file, durability, &mut |_| ())
    }

    /// Opens the store and reports the progress of slow operations.
    pub fn open_reporting(
        file: &Path,
        durability: Durability,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        Self::open_with(file, durability, MIGRATIONS, report)
    }

    /// Opens the store for a client's hook: waits only briefly for other writers and never upgrades an older store,
    /// because an upgrade copies the whole file.
    pub fn open_for_hook(file: &Path, durability: Durability) -> Result<Self, StoreError> {
        let sqlite = Sqlite::connect(file, durability, Patience::Short)?;
        Self::ready_for_hook(Engine::Sqlite(sqlite))
    }

    fn ready_for_hook(engine: Engine) -> Result<Self, StoreError> {
        let mut connection = Connection::new(engine);
        check_for_hook(&mut connection)?;
        Ok(Self::local(connection))
    }

    /// Opens the store in a Postgres database. Creates missing tables; upgrades an older schema. `defaults` completes
    /// the URL.
    pub fn open_url(
        url: &str,
        defaults: &dyn ConnectionDefaults,
        durability: Durability,
        report: &mut dyn FnMut(&str),
    ) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, defaults, durability, Patience::Usual)?;
        Self::upgraded(Engine::Postgres(Box::new(postgres)), MIGRATIONS, report)
    }

    /// Whether the text is the URL of a Postgres database.
    pub fn is_url(text: &str) -> bool {
        crate::postgres::is_url(text)
    }

    /// Whether a URL contains a password.
    pub fn has_password(url: &str) -> bool {
        crate::postgres::has_password(url)
    }

    /// A URL without its password.
    pub fn without_password(url: &str) -> String {
        crate::postgres::without_password(url)
    }

    /// A URL without its password, for another user.
    pub fn url_for_user(url: &str, user: &str) -> String {
        crate::postgres::for_user(url, user)
    }

    /// The store's name for messages: its file, or its URL without the password.
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
        upgrade(&mut connection, migrations, report)?;
        Ok(Self::local(connection))
    }

    fn local(connection: Connection) -> Self {
        Self {
            connection,
            machine: MachineId::default(),
        }
    }

    /// Sets the machine on which this store is used.
    #[must_use]
    pub fn on_machine(self, machine: MachineId) -> Self {
        Self { machine, ..self }
    }

    /// The machine on which this store is used.
    pub fn machine(&self) -> &MachineId {
        &self.machine
    }

    /// Runs `work` in one transaction that blocks all other writers: either all of its writes are committed or none. A
    /// nested call joins the outer transaction: if `work` fails, the outer transaction is rolled back.
    ///
    /// If another process or the network interrupts the transaction before the commit, `work` runs again. So `work`
    /// must not depend on variables that an earlier attempt has changed.
    pub fn transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Store, work)
    }

    /// Runs `work` in a transaction that blocks only other writers of the same rows. If `work` reads rows in order to
    /// change them, it must lock them first.
    pub fn row_transaction<T, E: From<StoreError>>(
        &mut self,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Rows, work)
    }

    pub(crate) fn transaction_in<T, E: From<StoreError>>(
        &mut self,
        scope: WriteScope<'_>,
        mut work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        repeat_transaction(self, scope, |store| work(&mut Transaction(store)))
    }

    /// Like [`Self::transaction_in`], but the commit does not wait for the disk: a power loss may undo it.
    pub(crate) fn relaxed_transaction_in<T, E: From<StoreError>>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.relaxed(|store| store.transaction_in(scope, work))
    }

    /// Runs `work` with commits that do not wait for the disk: a power loss may undo them.
    pub fn relaxed<T, E: From<StoreError>>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let usual = self.connection.set_durability(Durability::Normal)?;
        let done = work(self);
        let restored = self.connection.set_durability(usual);
        let value = done?;
        restored?;
        Ok(value)
    }

    /// Sends the deferred writes.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        self.connection.engine().flush()
    }

    /// Makes all queries read from one snapshot until `end_snapshot` or the first write.
    pub fn begin_snapshot(&mut self) -> Result<(), StoreError> {
        self.connection.begin_snapshot()
    }

    /// Ends the snapshot, also on the server. Use this before slow work: a server keeps old row versions as long as a
    /// snapshot is open.
    pub fn close_snapshot(&mut self) -> Result<(), StoreError> {
        self.connection.end_snapshot()?;
        self.connection.engine().close_snapshot()
    }

    /// Ends the snapshot. The server may not see this until the next statement.
    pub fn end_snapshot(&mut self) -> Result<(), StoreError> {
        self.connection.end_snapshot()
    }

    /// Runs `work` and logs the statements it executes.
    pub fn log_statements<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<LoggedStatement>) {
        self.start_statement_log();
        let done = work(self);
        (done, self.end_statement_log())
    }

    /// Starts to log the statements that the store executes.
    pub fn start_statement_log(&mut self) {
        self.connection.engine().start_statement_log();
    }

    /// Ends the log and returns it.
    pub fn end_statement_log(&mut self) -> Vec<LoggedStatement> {
        self.connection.engine().end_statement_log()
    }

    /// The number of round trips to the server since the store was opened; 0 for a file.
    pub fn round_trips(&mut self) -> u64 {
        self.connection.engine().round_trips()
    }

    /// A number that changes after every commit by another connection.
    pub fn data_version(&mut self) -> Result<i64, StoreError> {
        self.connection.engine().data_version()
    }

    /// The schema version.
    pub fn schema(&mut self) -> Result<i64, StoreError> {
        self.connection.engine().schema_version()
    }

    /// The errors that the engine's own integrity check finds.
    pub fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        self.connection.engine().integrity()
    }
}

/// Upgrades an older schema.
pub(crate) fn upgrade(
    connection: &mut Connection,
    migrations: &[&str],
    report: &mut dyn FnMut(&str),
) -> Result<(), StoreError> {
    if pending(connection, migrations)?.is_some() {
        connection.engine().wait_for_writers(Patience::Migration)?;
        migrate(connection, migrations, report)?;
        connection.engine().wait_for_writers(Patience::Usual)?;
    }
    Ok(())
}

/// Creates missing tables, but does not upgrade an older schema.
pub(crate) fn check_for_hook(connection: &mut Connection) -> Result<(), StoreError> {
    match pending(connection, MIGRATIONS)? {
        None => Ok(()),
        Some(0) => migrate(connection, MIGRATIONS, &mut |_| ()),
        Some(found) => Err(StoreError::Older {
            database: connection.engine().name(),
            found,
        }),
    }
}

#[cfg(test)]
mod tests {
    use bugle_testkit::postgres;

    use super::*;

    #[test]
    fn an_upgrade_on_a_server_is_all_or_nothing() {
        if !postgres::is_available() {
            return;
        }
        let server = postgres::shared();
        let database = server.create_database();
        let url = server.url(&database);
        let open = |more: &[&str]| {
            let migrations: Vec<&str> = MIGRATIONS.iter().chain(more).copied().collect();
            let postgres = Postgres::connect(&url, &|_: &str| None, Durability::Full, Patience::Usual)?;
            Store::upgraded(Engine::Postgres(Box::new(postgres)), &migrations, &mut |_| ())
        };
        open(&[]).unwrap();
        let more = "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'more'";
        let error = open(&[
            "CREATE TABLE more (id TEXT)",
            "ALTER TABLE missing ADD COLUMN id TEXT",
        ])
        .unwrap_err();
        assert!(error.to_string().contains("missing"), "{error}");
        assert_eq!(server.sql(&database, more), "0");
        let known = i64::try_from(MIGRATIONS.len()).unwrap();
        assert_eq!(open(&[]).unwrap().schema().unwrap(), known);
        let mut upgraded = open(&["CREATE TABLE more (id TEXT)"]).unwrap();
        assert_eq!(upgraded.schema().unwrap(), known + 1);
        assert_eq!(server.sql(&database, more), "1");
        let error = open(&[]).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    }

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
