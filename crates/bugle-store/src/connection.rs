//! A connection to the database, and its transactions. A transaction inside another one is a part of it.

use crate::engine::Engine;
use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A connection, and how far its transactions are nested.
#[derive(Debug)]
pub(crate) struct Connection {
    engine: Engine,
    /// Whether queries read one snapshot, outside any transaction that writes.
    in_snapshot: bool,
    /// The number of open transactions, one inside the other. The engine knows the outermost only.
    depth: u32,
    /// Whether the outermost transaction excludes all other writers.
    excludes_all: bool,
    /// Whether an inner transaction failed, so that the outermost must be rolled back.
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
        // Some errors end a transaction. Later writes would then be committed one by one.
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

    /// The end of a query whose rows may be changed next: inside a transaction, other writers wait for its end.
    pub(crate) fn row_lock(&self) -> &'static str {
        if self.depth > 0 {
            self.engine.row_lock()
        } else {
            ""
        }
    }

    /// Makes all queries read one snapshot, until `end_snapshot` or the first write.
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

    /// Sets what later commits survive; returns what they survived before. An open transaction keeps its own.
    pub(crate) fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError> {
        self.end_snapshot()?;
        if self.depth > 0 {
            return Ok(durability);
        }
        self.engine.set_durability(durability)
    }

    /// Does `work` in one transaction: all of it is committed, or nothing. It must lock the rows that it reads before
    /// it changes them.
    pub(crate) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transaction_in(WriteScope::Rows, work)
    }

    /// Does `work` in one transaction that excludes other writers.
    pub(crate) fn transaction_in<T>(
        &mut self,
        scope: WriteScope<'_>,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.begin(scope)?;
        let done = work(self);
        self.end(done)
    }

    /// Begins a transaction. One inside another is a part of that, and adds the lock of its project only.
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

    /// Ends the innermost transaction: commits after `Ok`, rolls back after `Err`. An inner failure fails the outermost
    /// too, even if the code between ignores it.
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
