//! Transactions. `BEGIN` is sent in the same round trip as the first statement, and `COMMIT` in the same round trip
//! as the last writes.

use super::{Answer, COMMIT, Part, Postgres, Progress, Statement, locks};
use crate::row::Value;
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

impl Postgres {
    /// The statements that begin a transaction.
    pub(super) fn begin_statements(&self, scope: WriteScope<'_>, durability: Durability) -> String {
        let durability = match durability {
            Durability::Full => "",
            Durability::Normal => "; SET LOCAL synchronous_commit = off",
        };
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}{durability}; {}",
            self.limits.settings(),
            locks::statements(scope)
        )
    }

    /// The statements that begin a read-only snapshot.
    pub(super) fn begin_snapshot_statements(&self) -> String {
        format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}",
            self.limits.settings()
        )
    }

    pub(crate) fn begin_read(&mut self) {
        self.has_changes = false;
        self.transaction = Progress::Asked {
            begin: self.begin_snapshot_statements(),
            scope_is_rows: false,
        };
    }

    pub(crate) fn begin_write(&mut self, scope: WriteScope<'_>) {
        self.has_changes = false;
        self.transaction = Progress::Asked {
            begin: self.begin_statements(scope, self.durability),
            scope_is_rows: scope == WriteScope::Rows,
        };
    }

    /// Locks a project inside a transaction, before its next statement.
    pub(crate) fn lock_project(&mut self, project: &str) {
        let lock = Statement::new(&locks::of_project(project), &[], true);
        self.queue.push(lock);
    }

    /// Commits the transaction, in the same round trip as the queued writes.
    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        match &self.transaction {
            Progress::Failed => {
                // `COMMIT` would make the server roll back without reporting an error.
                Err(self.transaction_failed())
            }
            Progress::Asked { scope_is_rows, .. } if *scope_is_rows && self.holds_back => {
                self.transaction = Progress::None;
                let writes = std::mem::take(&mut self.queue);
                self.hold(writes);
                Ok(())
            }
            Progress::Asked { begin, .. } if self.has_queued_writes() => {
                let begin = begin.clone();
                self.commit_with(Some(&begin)).map(drop)
            }
            // Nothing was sent, so there is nothing to commit.
            Progress::None | Progress::Asked { .. } => {
                self.transaction = Progress::None;
                self.queue.clear();
                Ok(())
            }
            Progress::Open => self.commit_with(None).map(drop),
        }
    }

    fn has_queued_writes(&self) -> bool {
        self.queue.iter().any(|statement| !statement.wants_rows)
    }

    /// Runs one statement in a transaction of its own, in one round trip; returns the number of changed rows.
    pub(crate) fn execute_in(
        &mut self,
        scope: WriteScope<'_>,
        statement: &str,
        parameters: &[Value],
    ) -> Result<usize, StoreError> {
        self.begin_write(scope);
        self.queue.push(Statement::new(statement, parameters, false));
        let begin = self.begin_statements(scope, self.durability);
        let sent = self.commit_with(Some(&begin));
        if sent.is_err() {
            self.rollback();
        }
        Ok(match sent?.last() {
            Some(Answer::Changed(rows)) => usize::try_from(*rows).unwrap_or(usize::MAX),
            _ => 0,
        })
    }

    /// Commits with the queued writes; returns their answers.
    fn commit_with(&mut self, begin: Option<&str>) -> Result<Vec<Answer>, StoreError> {
        let has_changes = self.has_changes || self.has_queued_writes();
        let queue = std::mem::take(&mut self.queue);
        let commit = if has_changes { COMMIT } else { "COMMIT" };
        let parts: Vec<Part<'_>> = begin
            .map(Part::Batch)
            .into_iter()
            .chain(queue.iter().map(Part::Statement))
            .chain([Part::Batch(commit)])
            .collect();
        let sent = self.send(&parts, true);
        self.transaction = Progress::None;
        match sent {
            Ok(answers) => {
                self.own_commits += i64::from(has_changes);
                Ok(answers)
            }
            Err(none) if !none.is_lost() => {
                self.transaction = Progress::Failed;
                Err(self.explain(none))
            }
            Err(_) if has_changes => Err(StoreError::CommitUnknown(self.name())),
            // It does not matter whether a transaction that changes nothing was committed.
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Ends a snapshot: the next flight closes it on the server.
    pub(crate) fn end_snapshot_later(&mut self) {
        let before = std::mem::replace(&mut self.transaction, Progress::None);
        self.closes_snapshot |= matches!(before, Progress::Open);
        if matches!(before, Progress::Failed) {
            self.transaction = before;
            self.rollback();
        }
    }

    pub(crate) fn rollback(&mut self) {
        let before = std::mem::replace(&mut self.transaction, Progress::None);
        self.queue.clear();
        if matches!(before, Progress::None | Progress::Asked { .. }) || self.link.is_none() {
            return;
        }
        if self.send(&[Part::Batch("ROLLBACK")], true).is_err() {
            // The server rolls back when the connection closes.
            self.link = None;
        }
    }

    pub(crate) fn in_transaction(&self) -> bool {
        matches!(self.transaction, Progress::Asked { .. } | Progress::Open)
    }

    pub(crate) fn set_durability(&mut self, durability: Durability) -> Durability {
        std::mem::replace(&mut self.durability, durability)
    }
}

impl Drop for Postgres {
    /// Sends writes that are still deferred, and closes a snapshot that has ended. Otherwise a pooler would close its
    /// connection to the server.
    fn drop(&mut self) {
        if self.closes_snapshot || !self.held.is_empty() {
            // If this fails, the connection is lost, and so is the snapshot.
            let _ = self.send(&[], true);
        }
    }
}
