//! The database engines. This enum hides everything that is specific to one engine.

use crate::postgres::Postgres;
use crate::read_ahead::Query;
use crate::row::{Row, Value};
use crate::sqlite::{Patience, Sqlite};
use crate::statement_log::LoggedStatement;
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A database connection, one variant per engine.
#[derive(Debug)]
pub(crate) enum Engine {
    Sqlite(Sqlite),
    Postgres(Box<Postgres>),
}

/// Separates the texts of a list. No stored name contains this control character.
pub(crate) const LIST_SEPARATOR: char = '\u{1f}';

/// Dispatches to the engine.
macro_rules! dispatch {
    ($engine:expr, $method:ident($($argument:expr),*)) => {
        match $engine {
            Engine::Sqlite(sqlite) => sqlite.$method($($argument),*),
            Engine::Postgres(postgres) => postgres.$method($($argument),*),
        }
    };
}

impl Engine {
    /// Runs a statement; returns the number of changed rows. Parameters are numbered `$1`, `$2`, ...
    pub(crate) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        dispatch!(self, execute(statement, parameters))
    }

    /// Like [`Self::execute`], for callers that do not need the row count. Inside a transaction, the statement may be
    /// delayed until the next statement or the commit, which then reports the error.
    pub(crate) fn write(&mut self, statement: &str, parameters: &[Value]) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.execute(statement, parameters).map(|_| ()),
            Self::Postgres(postgres) => postgres.write(statement, parameters),
        }
    }

    /// Runs several statements in one round trip; returns the numbers of changed rows.
    pub(crate) fn execute_all(&mut self, statements: &[Query]) -> Result<Vec<usize>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => {
                let changed = statements
                    .iter()
                    .map(|(statement, parameters)| sqlite.execute(statement, parameters));
                changed.collect()
            }
            Self::Postgres(postgres) => postgres.execute_all(statements),
        }
    }

    /// Runs a query.
    pub(crate) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        dispatch!(self, query(statement, parameters))
    }

    /// Runs several queries in one round trip. Outside a transaction, they read one snapshot.
    pub(crate) fn query_all(&mut self, queries: &[Query]) -> Result<Vec<Vec<Row>>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => {
                let rows = queries
                    .iter()
                    .map(|(statement, parameters)| sqlite.query(statement, parameters));
                rows.collect()
            }
            Self::Postgres(postgres) => postgres.query_all(queries),
        }
    }

    /// Allows the engine to defer later writes until the next statement or [`Self::flush`].
    pub(crate) fn hold_back_writes(&mut self) {
        if let Self::Postgres(postgres) = self {
            postgres.hold_back_writes();
        }
    }

    /// Sends the deferred writes.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(postgres) => postgres.flush(),
        }
    }

    /// Closes a snapshot that has ended but is still open on the server.
    pub(crate) fn close_snapshot(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(postgres) => postgres.close_snapshot(),
        }
    }

    /// The number of round trips since the connection was opened.
    pub(crate) fn round_trips(&self) -> u64 {
        match self {
            Self::Sqlite(_) => 0,
            Self::Postgres(postgres) => postgres.round_trips(),
        }
    }

    /// Runs several statements without parameters.
    pub(crate) fn batch(&mut self, statements: &str) -> Result<(), StoreError> {
        dispatch!(self, batch(statements))
    }

    /// Begins a transaction that reads one snapshot.
    pub(crate) fn begin_read(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.begin_read(),
            Self::Postgres(postgres) => {
                postgres.begin_read();
                Ok(())
            }
        }
    }

    /// Begins a transaction that may write.
    pub(crate) fn begin_write(&mut self, scope: WriteScope<'_>) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.begin_write(),
            Self::Postgres(postgres) => {
                postgres.begin_write(scope);
                Ok(())
            }
        }
    }

    /// Blocks other writers of a project until the open transaction ends.
    pub(crate) fn lock_project(&mut self, project: &str) {
        match self {
            Self::Sqlite(_) => {}
            Self::Postgres(postgres) => postgres.lock_project(project),
        }
    }

    /// Ends a snapshot. The server may not see this until the next statement.
    pub(crate) fn end_snapshot_later(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.commit(),
            Self::Postgres(postgres) => {
                postgres.end_snapshot_later();
                Ok(())
            }
        }
    }

    /// Commits the transaction.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        dispatch!(self, commit())
    }

    /// Rolls the transaction back. An error may have ended it already.
    pub(crate) fn rollback(&mut self) {
        dispatch!(self, rollback());
    }

    /// Whether a transaction is open. Some errors end it.
    pub(crate) fn in_transaction(&self) -> bool {
        dispatch!(self, in_transaction())
    }

    /// Sets the durability of later commits and returns the previous one.
    pub(crate) fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.set_durability(durability),
            Self::Postgres(postgres) => Ok(postgres.set_durability(durability)),
        }
    }

    /// The schema version; 0 for an empty database.
    pub(crate) fn schema_version(&mut self) -> Result<i64, StoreError> {
        dispatch!(self, schema_version())
    }

    /// Sets the schema version, inside a transaction.
    pub(crate) fn set_schema_version(&mut self, version: i64) -> Result<(), StoreError> {
        dispatch!(self, set_schema_version(version))
    }

    /// The database's name for messages: its file, or its URL without the password.
    pub(crate) fn name(&self) -> String {
        dispatch!(self, name())
    }

    /// Sets how long to wait for other writers: the usual time, or long enough for a migration.
    pub(crate) fn wait_for_writers(&mut self, patience: Patience) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.set_patience(patience),
            Self::Postgres(postgres) => {
                postgres.set_patience(patience);
                Ok(())
            }
        }
    }

    /// Starts logging executed statements.
    pub(crate) fn start_statement_log(&mut self) {
        dispatch!(self, start_statement_log());
    }

    /// Stops logging and returns the executed statements.
    pub(crate) fn end_statement_log(&mut self) -> Vec<LoggedStatement> {
        dispatch!(self, end_statement_log())
    }

    /// A migration in the engine's SQL dialect.
    pub(crate) fn definition(&self, migration: &str) -> String {
        match self {
            Self::Sqlite(_) => migration.replace("BYTES", "BLOB"),
            Self::Postgres(_) => crate::postgres::definition(migration),
        }
    }

    /// The SQL suffix that makes a query lock its rows until the transaction ends. `SQLite` locks the whole file
    /// instead.
    pub(crate) fn row_lock(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR UPDATE",
        }
    }

    /// The SQL suffix that makes a query lock its rows against changes, but not against references to them.
    pub(crate) fn row_lock_without_key(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR NO KEY UPDATE",
        }
    }

    /// The SQL suffix that makes a query lock its rows and skip the rows that other transactions have locked.
    pub(crate) fn skipping_row_lock(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "",
            Self::Postgres(_) => " FOR NO KEY UPDATE SKIP LOCKED",
        }
    }

    /// The SQL expression for a column with a JSON object, without the `fields` and with those of the object in a
    /// parameter. Field names are letters and underscores.
    pub(crate) fn merged_json(&self, column: &str, fields: &[String], parameter: &str) -> String {
        match self {
            Self::Sqlite(_) => {
                // A patch with `null` removes a field. Objects are merged, so the old value must not be there.
                let removed: Vec<String> = fields.iter().map(|field| format!("\"{field}\": null")).collect();
                let removed = removed.join(", ");
                format!("json_patch(json_patch({column}, '{{{removed}}}'), {parameter})")
            }
            Self::Postgres(_) => {
                let names: Vec<String> = fields.iter().map(|field| format!("'{field}'")).collect();
                let names = names.join(", ");
                format!("(({column}::jsonb - ARRAY[{names}]) || {parameter}::text::jsonb)::text")
            }
        }
    }

    /// The SQL expression for the database's current time, in milliseconds. It does not depend on this machine's
    /// clock.
    pub(crate) fn clock(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
            Self::Postgres(_) => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    /// The `FROM` clause for the blob with the hash `$1`.
    pub(crate) fn blob_by_hash(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "blob WHERE hash = $1",
            Self::Postgres(_) => "bugle_blob($1)",
        }
    }

    /// The `FROM` clause for the skill with the hash `$1`, as compiled by version `$2` of the compiler.
    pub(crate) fn compiled_by_hash(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "compiled WHERE pin = $1 AND compiler = $2",
            Self::Postgres(_) => "bugle_compiled($1, $2)",
        }
    }

    /// The SQL aggregate that joins texts in an order, separated by [`LIST_SEPARATOR`].
    pub(crate) fn text_list(&self, text: &str, order: &str) -> String {
        let name = match self {
            Self::Sqlite(_) => "group_concat",
            Self::Postgres(_) => "string_agg",
        };
        format!("{name}({text}, '{LIST_SEPARATOR}' ORDER BY {order})")
    }

    /// Creates the groups of a team and grants their rights, inside a transaction. A file has no groups.
    pub(crate) fn init_rights(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(postgres) => postgres.init_rights(),
        }
    }

    /// A number that changes after every commit by another connection.
    pub(crate) fn data_version(&mut self) -> Result<i64, StoreError> {
        dispatch!(self, data_version())
    }

    /// The faults that the engine's own integrity check finds.
    pub(crate) fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.integrity(),
            // The server checks its own pages and keys.
            Self::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Writes a verified backup, inside the migration's transaction. Postgres stores are backed up on the server
    /// instead.
    pub(crate) fn back_up(&mut self, version: i64, report: &mut dyn FnMut(&str)) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => {
                report("Backing up the store before upgrading it ...");
                sqlite.back_up(version)
            }
            Self::Postgres(_) => Ok(()),
        }
    }

    /// The columns of all tables, sorted by table, without the engine's own tables. The fields are `table_name`,
    /// `column_name` and `key_place`: the column's position in the primary key, or 0.
    pub(crate) fn columns(&mut self) -> Result<Vec<Row>, StoreError> {
        dispatch!(self, columns())
    }

    /// Until the transaction ends, makes a query fail if it cannot see all rows.
    pub(crate) fn refuse_hidden_rows(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(postgres) => postgres.refuse_hidden_rows(),
        }
    }

    /// Lets rows refer to missing rows until the connection is closed. Call this outside a transaction, and
    /// `drop_references` in the transaction that follows.
    pub(crate) fn ignore_references(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.ignore_references(),
            Self::Postgres(_) => Ok(()),
        }
    }

    /// Lets rows refer to missing rows until `restore_references`, inside a transaction.
    pub(crate) fn drop_references(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(postgres) => postgres.drop_references(),
        }
    }

    /// Checks all foreign keys and enforces them again, inside a transaction.
    pub(crate) fn restore_references(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.check_references(),
            Self::Postgres(postgres) => postgres.restore_references(),
        }
    }

    /// The error for statements after the transaction has failed.
    pub(crate) fn transaction_failed(&self) -> StoreError {
        dispatch!(
            self,
            failure("an error ended the transaction and rolled back all its changes")
        )
    }
}
