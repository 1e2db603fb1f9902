//! Plans the queries that find a worker's position, so that a remote server answers them in few round trips.

use bugle_store::{Plan, Store, StoreError, TaskRow};

use super::Subtree;
use crate::ownership::{Worker, plan_holder};
use crate::{AppError, Context};

/// Plans a caller's queries about a task.
pub(crate) type ReadAhead = fn(&mut Plan<'_>, &TaskRow) -> Result<(), StoreError>;

/// Plans the queries about the holders of active tasks, and about the worker's probable current task. Returns that
/// task.
pub(super) fn plan_next(
    store: &mut Store,
    ctx: &Context,
    subtree: &Subtree,
    active: &[TaskRow],
    worker: Option<&Worker>,
    read_ahead: ReadAhead,
) -> Result<Option<TaskRow>, AppError> {
    if !store.reads_ahead() {
        return Ok(None);
    }
    let holds = |row: &&TaskRow| {
        let holder = row.task.agent.as_ref();
        row.open_children == 0
            && holder
                .zip(worker)
                .is_some_and(|(name, worker)| worker.is_called(name))
    };
    let position = match active.iter().find(holds) {
        Some(own) => Some(own.clone()),
        None => store.position(&subtree.project, subtree.path.as_ref())?,
    };
    store.read_ahead(|plan| {
        for name in active
            .iter()
            .chain(&position)
            .filter_map(|row| row.task.agent.as_ref())
        {
            plan_holder(plan, ctx, &subtree.project, name)?;
        }
        match &position {
            Some(row) => {
                plan_position(plan, row)?;
                read_ahead(plan, row)
            }
            None => Ok(()),
        }
    })?;
    Ok(position)
}

/// Plans the queries for a task's position.
pub(super) fn plan_position(plan: &mut Plan<'_>, row: &TaskRow) -> Result<(), StoreError> {
    plan.above(row).ok();
    if let Some(link) = &row.task.plan {
        plan.plans_by_prefix(link.plan.as_str())?;
    }
    plan.skill_pins(&row.root)?;
    plan.neighbours(row)?;
    if row.children > 0 {
        plan.is_begun_inside(&row.project, &row.path)?;
    }
    for on in row.task.waits_for.keys() {
        plan.task(on)?;
    }
    Ok(())
}
