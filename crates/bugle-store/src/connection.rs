//! A database connection with nested transactions. Only the outermost transaction commits.

use std::sync::Arc;

use crate::engine::Engine;
use crate::read_ahead::{Keys, Query, ReadAhead};
use crate::retry::{Failure, retry};
use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A connection and its transaction depth.
#[derive(Debug)]
pub(crate) struct Connection {
    engine: Engine,
    /// Whether queries read from a snapshot, outside a write transaction.
    in_snapshot: bool,
    /// The number of nested open transactions. The engine sees only the outermost.
    depth: u32,
    /// Whether the outermost transaction needs no project lock. A transaction that blocks all other writers needs
    /// none, and a claim locks tasks instead.
    has_locks: bool,
    /// Whether an inner transaction failed. If so, the outermost is rolled back.
    is_doomed: bool,
    attempt: Attempt,
    read_ahead: ReadAhead,
}

/// The facts that decide whether to repeat an interrupted outermost transaction.
#[derive(Debug, Default)]
struct Attempt {
    interruption: Option<Interruption>,
    /// Whether the transaction has done something that a rollback cannot undo.
    has_outside_effect: bool,
    /// A row that exists if and only if the transaction was committed.
    witness: Option<Witness>,
}

/// A failure that the transaction's own statements did not cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interruption {
    /// The server rolled the transaction back.
    Transient,
    /// The connection was lost during the commit.
    UnknownCommit,
}

/// A query for a row that a transaction has inserted.
#[derive(Debug)]
struct Witness {
    query: &'static str,
    parameters: Vec<Value>,
}

impl AsMut<Self> for Connection {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

/// Runs `work` in a transaction on the connection of `owner`. If another process or the network interrupts the
/// outermost transaction, repeats it, but only if nothing was committed.
pub(crate) fn repeat_transaction<O: AsMut<Connection>, T, E: From<StoreError>>(
    owner: &mut O,
    scope: WriteScope<'_>,
    mut work: impl FnMut(&mut O) -> Result<T, E>,
) -> Result<T, E> {
    retry(|| {
        owner
            .as_mut()
            .begin(scope)
            .map_err(|error| Failure::Permanent(E::from(error)))?;
        let mut value = None;
        let done = work(owner).map(|made| value = Some(made));
        let connection = owner.as_mut();
        let ended = connection.end(done);
        let is_outermost = connection.depth == 0;
        let Err(error) = ended else {
            // A transaction ends with `Ok` only if `work` has returned a value.
            return value.ok_or_else(|| Failure::Permanent(E::from(connection.engine.transaction_failed())));
        };
        match connection.attempt.interruption {
            Some(Interruption::Transient) if is_outermost => {
                Err(Failure::of(!connection.attempt.has_outside_effect, error))
            }
            Some(Interruption::UnknownCommit) if is_outermost => {
                let is_repeatable = !connection.attempt.has_outside_effect;
                match (connection.was_committed(), value) {
                    (Some(true), Some(value)) => Ok(value),
                    (Some(false), _) => Err(Failure::of(is_repeatable, error)),
                    _ => Err(Failure::Permanent(error)),
                }
            }
            _ => Err(Failure::Permanent(error)),
        }
    })
}

impl Connection {
    pub(crate) fn new(engine: Engine) -> Self {
        Self {
            engine,
            in_snapshot: false,
            depth: 0,
            has_locks: false,
            is_doomed: false,
            attempt: Attempt::default(),
            read_ahead: ReadAhead::default(),
        }
    }

    pub(crate) fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Runs a statement; returns the number of changed rows.
    pub(crate) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        self.before_write(statement)?;
        if self.depth > 0 {
            let done = self.engine.execute(statement, parameters);
            return self.noted(done);
        }
        // Outside a transaction, a failed statement has changed nothing.
        retry(|| {
            let done = self.engine.execute(statement, parameters);
            done.map_err(|error| Failure::of(error.is_transient(), error))
        })
    }

    /// Like [`Self::execute`], for callers that do not need the row count. Inside a transaction, the statement may be
    /// delayed until the next statement or the commit, which then reports the error.
    pub(crate) fn write(&mut self, statement: &str, parameters: &[Value]) -> Result<(), StoreError> {
        self.before_write(statement)?;
        if self.depth > 0 {
            let done = self.engine.write(statement, parameters);
            return self.noted(done);
        }
        retry(|| {
            let done = self.engine.write(statement, parameters);
            done.map_err(|error| Failure::of(error.is_transient(), error))
        })
    }

    /// Runs several statements in one round trip, inside a transaction; returns the numbers of changed rows.
    pub(crate) fn execute_all(&mut self, statements: &[Query]) -> Result<Vec<usize>, StoreError> {
        for (statement, _) in statements {
            self.before_write(statement)?;
        }
        let done = self.engine.execute_all(statements);
        self.noted(done)
    }

    /// Runs one statement in a transaction that blocks the other writers in `scope`.
    pub(crate) fn execute_in(
        &mut self,
        scope: WriteScope<'_>,
        statement: &str,
        parameters: &[Value],
    ) -> Result<usize, StoreError> {
        if self.depth == 0
            && let Engine::Postgres(postgres) = &mut self.engine
        {
            debug_assert!(!self.in_snapshot, "a snapshot is read-only");
            self.read_ahead.forget_written(statement);
            return retry(|| {
                let done = postgres.execute_in(scope, statement, parameters);
                done.map_err(|error| Failure::of(error.is_transient(), error))
            });
        }
        self.transaction_in(scope, |db| db.execute(statement, parameters))
    }

    fn before_write(&mut self, statement: &str) -> Result<(), StoreError> {
        // Some errors end the transaction. Without this check, later writes would be committed one by one.
        if self.depth > 0 && !self.engine.in_transaction() {
            return Err(self.engine.transaction_failed());
        }
        self.read_ahead.forget_written(statement);
        self.end_snapshot()
    }

    /// Runs a query, or uses its rows if they were read ahead.
    pub(crate) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        if self.read_ahead.is_recording() {
            self.read_ahead.record(statement, parameters);
            return Ok(Vec::new());
        }
        let in_transaction = self.depth > 0;
        if let Some(rows) = self.read_ahead.take(statement, parameters, in_transaction) {
            return Ok(rows);
        }
        if in_transaction || !self.read_ahead.has_plan() {
            let found = self.engine.query(statement, parameters);
            return self.noted(found);
        }
        self.read_ahead.record(statement, parameters);
        self.send_plan()?;
        let rows = self.read_ahead.take(statement, parameters, in_transaction);
        Ok(rows.unwrap_or_default())
    }

    /// Enables read-ahead. Use only on a connection that serves one short command.
    pub(crate) fn turn_on_read_ahead(&mut self) {
        self.read_ahead.turn_on();
    }

    /// Drops all rows that were read ahead.
    pub(crate) fn forget_read_ahead(&mut self) {
        self.read_ahead.forget();
    }

    pub(crate) fn reads_ahead(&self) -> bool {
        self.read_ahead.is_on()
    }

    /// Starts or stops recording queries instead of running them.
    pub(crate) fn record_plan(&mut self, is_recording: bool) {
        self.read_ahead.set_recording(is_recording);
    }

    /// Plans the next queries for each of these keys; returns the previous keys.
    pub(crate) fn plan_for_each(&mut self, keys: Option<Arc<Keys>>) -> Option<Arc<Keys>> {
        self.read_ahead.set_keys(keys)
    }

    /// Runs the recorded queries in one round trip and caches their rows.
    pub(crate) fn send_plan(&mut self) -> Result<(), StoreError> {
        let in_transaction = self.depth > 0;
        let planned = self.read_ahead.take_plan(in_transaction);
        if planned.is_empty() {
            return Ok(());
        }
        let queries: Vec<Query> = planned.iter().map(|sent| sent.query.clone()).collect();
        let answers = self.engine.query_all(&queries)?;
        for (sent, rows) in planned.into_iter().zip(answers) {
            self.read_ahead.keep(sent, rows, in_transaction);
        }
        Ok(())
    }

    /// Records whether an error interrupted the transaction.
    fn noted<T>(&mut self, done: Result<T, StoreError>) -> Result<T, StoreError> {
        match &done {
            Err(StoreError::CommitUnknown(_)) => {
                self.attempt.interruption = Some(Interruption::UnknownCommit);
            }
            Err(error) if error.is_transient() => self.attempt.interruption = Some(Interruption::Transient),
            Ok(_) | Err(_) => {}
        }
        done
    }

    /// Sets the query for a row that this transaction has inserted. If the connection is lost during the commit, this
    /// row shows whether the transaction was committed.
    pub(crate) fn set_witness(&mut self, query: &'static str, parameters: Vec<Value>) {
        self.attempt.witness = Some(Witness { query, parameters });
    }

    /// Prevents retries of the open transaction.
    pub(crate) fn forbid_retry(&mut self) {
        self.attempt.has_outside_effect = true;
    }

    /// The SQL suffix that makes a query lock its rows until the transaction ends; empty outside a transaction.
    pub(crate) fn row_lock(&self) -> &'static str {
        if self.depth > 0 {
            self.engine.row_lock()
        } else {
            ""
        }
    }

    /// Makes all queries read from one snapshot until `end_snapshot` or the first write.
    pub(crate) fn begin_snapshot(&mut self) -> Result<(), StoreError> {
        if self.depth == 0 && !self.in_snapshot {
            self.engine.begin_read()?;
            self.in_snapshot = true;
        }
        Ok(())
    }

    /// Ends the snapshot, if there is one.
    pub(crate) fn end_snapshot(&mut self) -> Result<(), StoreError> {
        if std::mem::take(&mut self.in_snapshot) {
            let ended = if self.read_ahead.is_on() {
                self.engine.end_snapshot_later()
            } else {
                self.engine.commit()
            };
            if ended.is_err() {
                self.engine.rollback();
            }
            return ended;
        }
        Ok(())
    }

    /// Sets the durability of later commits and returns the previous one. An open transaction keeps its durability.
    pub(crate) fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError> {
        self.end_snapshot()?;
        if self.depth > 0 {
            return Ok(durability);
        }
        self.engine.set_durability(durability)
    }

    /// Runs `work` in one transaction: either all of its writes are committed or none. If `work` reads rows in order to
    /// change them, it must lock them first.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnMut(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction_in(WriteScope::Rows, work)
    }

    /// Runs `work` in one transaction that blocks the other writers in `scope`.
    pub(crate) fn transaction_in<T>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnMut(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        repeat_transaction(self, scope, work)
    }

    /// Whether the transaction that was just interrupted has been committed; `None` if that is unknown.
    fn was_committed(&mut self) -> Option<bool> {
        let Witness { query, parameters } = self.attempt.witness.take()?;
        // Taking the lock waits until the server has ended the interrupted transaction.
        let found = self.begin(WriteScope::Store).and_then(|()| {
            let found = self.query(query, &parameters);
            self.end(found)
        });
        found.ok().map(|rows| !rows.is_empty())
    }

    /// Begins a transaction. A nested transaction joins the outer one, and adds at most the lock on its project.
    pub(crate) fn begin(&mut self, scope: WriteScope<'_>) -> Result<(), StoreError> {
        self.end_snapshot()?;
        if self.depth == 0 {
            self.engine.begin_write(scope)?;
            self.has_locks = matches!(scope, WriteScope::Store | WriteScope::Claim(_));
            self.is_doomed = false;
            self.attempt = Attempt::default();
        } else if let WriteScope::Project(project) = scope
            && !self.has_locks
        {
            self.engine.lock_project(project);
        }
        self.depth += 1;
        Ok(())
    }

    /// Rolls back the outermost transaction.
    pub(crate) fn roll_back(&mut self) {
        self.depth = 0;
        self.engine.rollback();
        self.read_ahead.end_transaction(true);
    }

    /// Ends the innermost transaction: commits after `Ok`, rolls back after `Err`. If an inner transaction fails, so
    /// does the outermost, even if the code in between ignores the error.
    pub(crate) fn end<T, E: From<StoreError>>(&mut self, done: Result<T, E>) -> Result<T, E> {
        let is_outermost = self.depth <= 1;
        self.depth = self.depth.saturating_sub(1);
        if !is_outermost {
            self.is_doomed |= done.is_err();
            return done;
        }
        let committed = match done {
            Ok(_) if self.is_doomed => Err(E::from(self.engine.transaction_failed())),
            Ok(value) => {
                let committed = self.engine.commit();
                self.noted(committed).map(|()| value).map_err(E::from)
            }
            Err(error) => Err(error),
        };
        if committed.is_err() {
            self.engine.rollback();
        }
        self.read_ahead.end_transaction(committed.is_err());
        committed
    }
}
