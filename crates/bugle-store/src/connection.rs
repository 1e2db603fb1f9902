//! A database connection with nested transactions. Only the outermost transaction commits.

use crate::engine::Engine;
use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A connection and its transaction depth.
#[derive(Debug)]
pub(crate) struct Connection {
    engine: Engine,
    /// Whether queries read from a snapshot, outside a write transaction.
    in_snapshot: bool,
    /// The number of nested open transactions. The engine only sees the outermost.
    depth: u32,
    /// Whether the outermost transaction blocks all other writers.
    excludes_all: bool,
    /// Whether an inner transaction failed. If so, the outermost is rolled back.
    is_doomed: bool,
}

impl Connection {
    pub(crate) fn new(engine: Engine) -> Self {
        Self {
            engine,
            in_snapshot: false,
            depth: 0,
            excludes_all: false,
            is_doomed: false,
        }
    }

    pub(crate) fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Runs a statement; returns the number of changed rows.
    pub(crate) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        // Some errors end the transaction. Without this check, later writes would be committed one by one.
        if self.depth > 0 && !self.engine.in_transaction() {
            return Err(self.engine.transaction_failed());
        }
        self.end_snapshot()?;
        self.engine.execute(statement, parameters)
    }

    /// Runs a query.
    pub(crate) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        self.engine.query(statement, parameters)
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
            let ended = self.engine.commit();
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

    /// Runs `work` in one transaction: either all of its writes are committed or none. `work` must lock the rows that it
    /// reads before it changes them.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction_in(WriteScope::Rows, work)
    }

    /// Runs `work` in one transaction that blocks the other writers in `scope`.
    pub(crate) fn transaction_in<T>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.begin(scope)?;
        let done = work(self);
        self.end(done)
    }

    /// Begins a transaction. A nested transaction joins the outer one, and adds at most the lock on its project.
    pub(crate) fn begin(&mut self, scope: WriteScope<'_>) -> Result<(), StoreError> {
        self.end_snapshot()?;
        if self.depth == 0 {
            self.engine.begin_write(scope)?;
            self.excludes_all = scope == WriteScope::Store;
            self.is_doomed = false;
        } else if let WriteScope::Project(project) = scope
            && !self.excludes_all
        {
            self.engine.lock_project(project)?;
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends an outermost transaction without its changes.
    pub(crate) fn roll_back(&mut self) {
        self.depth = 0;
        self.engine.rollback();
    }

    /// Ends the innermost transaction: commits after `Ok`, rolls back after `Err`. If an inner transaction fails, so does
    /// the outermost, even if the code in between ignores the error.
    pub(crate) fn end<T, E: From<StoreError>>(&mut self, done: Result<T, E>) -> Result<T, E> {
        let is_outermost = self.depth <= 1;
        self.depth = self.depth.saturating_sub(1);
        if !is_outermost {
            self.is_doomed |= done.is_err();
            return done;
        }
        let committed = match done {
            Ok(_) if self.is_doomed => Err(E::from(self.engine.transaction_failed())),
            Ok(value) => self.engine.commit().map(|()| value).map_err(E::from),
            Err(error) => Err(error),
        };
        if committed.is_err() {
            self.engine.rollback();
        }
        committed
    }
}
