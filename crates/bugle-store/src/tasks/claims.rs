//! Claims of tasks by several agents at the same time.

use bugle_core::id::TaskId;

use super::sql_helpers::{places, unreadable};
use crate::row::Value;
use crate::store::Transaction;
use crate::write_scope::WriteScope;
use crate::{ProjectId, Store, StoreError};

/// How a claim treats tasks that another transaction has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockedTasks {
    /// Skips locked tasks.
    Skip,
    /// Waits until the other transaction ends. If that transaction fails, the task is still available.
    Wait,
}

impl Store {
    /// Runs `work` in a transaction that claims a task of a project. Claims do not wait for each other, so `work` may
    /// change only tasks that [`Store::lock_ready`] returns.
    pub fn claim_transaction<T, E: From<StoreError>>(
        &mut self,
        project: &ProjectId,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Claim(&project.0), work)
    }

    /// Locks the first of these tasks, in order, that is still pending. `locked` determines how to treat tasks that
    /// another transaction has locked.
    pub fn lock_ready(
        &mut self,
        tasks: &[TaskId],
        locked: LockedTasks,
    ) -> Result<Option<TaskId>, StoreError> {
        if tasks.is_empty() {
            return Ok(None);
        }
        let parameters: Vec<Value> = tasks.iter().map(|id| id.as_str().into()).collect();
        let engine = self.connection.engine();
        let lock = match locked {
            LockedTasks::Skip => engine.skipping_row_lock(),
            LockedTasks::Wait => engine.row_lock_without_key(),
        };
        let rows = self.connection.query(
            &format!(
                "SELECT id FROM task WHERE id IN ({}) AND is_open = 1 AND standing = 'pending' ORDER BY path LIMIT 1{lock}",
                places(1, &parameters)
            ),
            &parameters,
        )?;
        let id = rows.first().map(|row| row.text("id")).transpose()?;
        id.map(|id| TaskId::parse(&id).map_err(unreadable)).transpose()
    }
}
