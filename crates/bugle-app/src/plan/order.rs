//! The order of a plan that is in the tree: worked out again when people change what it depends on.

use std::collections::BTreeSet;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::task::{Importing, Task, reorder};
use bugle_skill::parse_plan;
use bugle_store::{SqliteStore, Store as _, StoreError, TaskRow, TaskStore as _};

use super::{hash_of, text_of};
use crate::task::{new_task_id, recorded, there};
use crate::{AppError, Place};

/// The tasks inside a plan's root, and everything else that came from the plan, wherever it is now.
pub(super) fn tasks_around(
    store: &mut SqliteStore,
    plan: &PlanId,
    root: &TaskRow,
) -> Result<Vec<TaskRow>, AppError> {
    let mut found = store.subtree(&root.project, &root.path)?.split_off(1);
    let mut known: BTreeSet<TaskId> = found.iter().map(|row| row.task.id.clone()).collect();
    // Subtasks move with their task.
    for row in store.tasks_of_plan(plan)? {
        if !root.path.holds(&row.path) && !known.contains(&row.task.id) {
            let inside = store.subtree(&row.project, &row.path)?;
            found.extend(inside.into_iter().filter(|row| known.insert(row.task.id.clone())));
        }
    }
    Ok(found)
}

/// Works out the order of a plan again, inside a transaction.
pub(crate) fn reorder_plan(store: &mut SqliteStore, place: &Place, id: &PlanId) -> Result<(), AppError> {
    let found = store.plans_by_prefix(id.as_str())?;
    let Some(plan) = found.into_iter().find(|plan| plan.id == *id) else {
        return Ok(());
    };
    let missing = || StoreError::Unreadable(format!("the text of plan {id} is not there"));
    let bytes = store.blob(&plan.source)?.ok_or_else(missing)?;
    let read = parse_plan(&text_of(bytes).map_err(|_| missing())?);
    let root = there(store, &plan.root)?;
    let around = tasks_around(store, id, &root)?;
    let known: Vec<Task> = around.into_iter().map(|row| row.task).collect();
    let hashes: Vec<String> = read.tasks.iter().map(|task| hash_of(&task.content)).collect();
    let nodes = read.groups.len() + read.tasks.len();
    let ids: Vec<TaskId> = (0..nodes).map(|_| new_task_id()).collect::<Result<_, _>>()?;
    let what = Importing {
        id,
        plan: &read,
        hashes: &hashes,
        root: &root.task,
        above: &[],
        known: &known,
        trust_checkboxes: false,
    };
    store.change_tasks(&root.project, &recorded(place, reorder(what, &ids)))?;
    Ok(())
}
