//! A sub-agent's run and its ancestor runs.

use bugle_core::engine::{RunState, RunStatus};
use bugle_core::id::{ChildToken, RunId};
use bugle_store::{RunRow, Store};

use crate::AppError;
use crate::delegation::child_of;
use crate::open_run::OpenRun;

/// The ancestor runs, nearest first. The list ends with the first cancelled run.
pub(super) fn runs_above(store: &mut Store, state: &RunState) -> Result<Vec<RunRow>, AppError> {
    let mut above = Vec::new();
    let mut next = child_of(state).map(|child| child.token.parent.run.clone());
    while let Some(id) = next.take() {
        if let Some(row) = store.run(&id)? {
            if row.status != RunStatus::Cancelled {
                next = row.child.as_ref().map(|child| child.parent.run.clone());
            }
            above.push(row);
        }
    }
    Ok(above)
}

/// The nearest cancelled run among the ancestors.
pub(super) fn cancelled_among(above: &[RunRow]) -> Option<RunId> {
    let cancelled = above.iter().find(|row| row.status == RunStatus::Cancelled);
    cancelled.map(|row| row.id.clone())
}

/// The nearest cancelled ancestor of a run.
pub(crate) fn abandoned_by(store: &mut Store, state: &RunState) -> Result<Option<RunId>, AppError> {
    Ok(cancelled_among(&runs_above(store, state)?))
}

/// Whether the parent run is still waiting for this sub-agent.
pub(super) fn is_waited_for(parent: &OpenRun, token: &ChildToken) -> bool {
    let current = parent.state.current();
    current.is_some_and(|visit| visit.number == token.parent.visit && visit.judged.is_none())
}
