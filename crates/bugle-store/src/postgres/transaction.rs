//! Transactions. `BEGIN` is sent in the same round trip as the first statement.

use super::{COMMIT, NoAnswer, Postgres, Progress, errors, locks};
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

impl Postgres {
    /// The statements that begin a transaction.
    pub(super) fn begin_statements(&self, scope: WriteScope<'_>) -> String {
        let durability = match self.durability {
            Durability::Full => "",
            Durability::Normal => "; SET LOCAL synchronous_commit = off",
        };
        format!(
            "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {}{durability}; {}",
            self.limits.settings(),
            locks::statements(scope)
        )
    }

    pub(crate) fn begin_read(&mut self) {
        self.has_changes = false;
        self.transaction = Progress::Asked(format!(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {}",
            self.limits.settings()
        ));
    }

    pub(crate) fn begin_write(&mut self, scope: WriteScope<'_>) {
        self.has_changes = false;
        self.transaction = Progress::Asked(self.begin_statements(scope));
    }

    /// Locks a project inside a transaction.
    pub(crate) fn lock_project(&mut self, project: &str) -> Result<(), StoreError> {
        let has_changes = self.has_changes;
        let locked = self.batch(&locks::of_project(project));
        self.has_changes = has_changes;
        locked
    }

    pub(crate) fn commit(&mut self) -> Result<(), StoreError> {
        match std::mem::replace(&mut self.transaction, Progress::None) {
            // Nothing was sent, so there is nothing to commit.
            Progress::None | Progress::Asked(_) => Ok(()),
            Progress::Failed => {
                // The server would roll back without reporting an error.
                self.transaction = Progress::Failed;
                Err(self.transaction_failed())
            }
            Progress::Open => self.commit_open(),
        }
    }

    fn commit_open(&mut self) -> Result<(), StoreError> {
        let limit = self.limits.statement();
        let commit = if self.has_changes { COMMIT } else { "COMMIT" };
        let sent = self
            .link
            .as_ref()
            .and_then(|link| link.run(limit, |client| async move { client.batch_execute(commit).await }));
        match sent {
            Some(Ok(())) => {
                self.own_commits += i64::from(self.has_changes);
                Ok(())
            }
            Some(Err(error)) if !errors::is_lost(&error) => {
                self.transaction = Progress::Failed;
                Err(self.explain(NoAnswer::Error(error)))
            }
            _ => {
                self.link = None;
                if self.has_changes {
                    return Err(StoreError::CommitUnknown(self.name()));
                }
                // It does not matter whether a transaction that changes nothing was committed.
                Ok(())
            }
        }
    }

    pub(crate) fn rollback(&mut self) {
        let before = std::mem::replace(&mut self.transaction, Progress::None);
        if matches!(before, Progress::None | Progress::Asked(_)) {
            return;
        }
        let limit = self.limits.statement();
        let rolled_back = self.link.as_ref().and_then(|link| {
            link.run(
                limit,
                |client| async move { client.batch_execute("ROLLBACK").await },
            )
        });
        if !matches!(rolled_back, Some(Ok(()))) {
            // The server rolls back when the connection closes.
            self.link = None;
        }
    }

    pub(crate) fn in_transaction(&self) -> bool {
        matches!(self.transaction, Progress::Asked(_) | Progress::Open)
    }

    pub(crate) fn set_durability(&mut self, durability: Durability) -> Durability {
        std::mem::replace(&mut self.durability, durability)
    }
}
