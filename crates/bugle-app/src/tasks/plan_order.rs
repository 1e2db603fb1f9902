//! Recomputes an imported plan's order when its dependencies change.

use std::collections::BTreeSet;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::task::{Importing, Task, TreePath, reorder};
use bugle_skill::parse_plan;
use bugle_store::{Store, TaskRow};

use crate::tasks::load_task;
use crate::{AppError, Context, event_record, plan_files};

/// The tasks below a plan's root, and the plan's tasks that were moved elsewhere.
pub(crate) fn tasks_around(
    store: &mut Store,
    plan: &PlanId,
    root: &TaskRow,
) -> Result<Vec<TaskRow>, AppError> {
    let mut found = store.subtree(&root.project, &root.path)?.split_off(1);
    let mut known: BTreeSet<TaskId> = found.iter().map(|row| row.task.id.clone()).collect();
    // Include subtasks, which move together with their task.
    for row in store.tasks_of_plan(plan)? {
        if !root.path.holds(&row.path) && !known.contains(&row.task.id) {
            let inside = store.subtree(&row.project, &row.path)?;
            found.extend(inside.into_iter().filter(|row| known.insert(row.task.id.clone())));
        }
    }
    Ok(found)
}

/// Recomputes a plan's order inside a transaction. Returns the paths of the plan's root and of the plan's tasks that
/// were moved elsewhere.
pub(crate) fn reorder_plan(store: &mut Store, ctx: &Context, id: &PlanId) -> Result<Vec<TreePath>, AppError> {
    let found = store.plans_by_prefix(id.as_str())?;
    let Some(plan) = found.into_iter().find(|plan| plan.id == *id) else {
        return Ok(Vec::new());
    };
    let read = parse_plan(&plan_files::imported_text(store, &plan)?);
    let root = load_task(store, &plan.root)?;
    let around = tasks_around(store, id, &root)?;
    let elsewhere = around.iter().filter(|row| !root.path.holds(&row.path));
    let paths = std::iter::once(&root)
        .chain(elsewhere)
        .map(|row| row.path.clone());
    let paths: Vec<TreePath> = paths.collect();
    let known: Vec<Task> = around.into_iter().map(|row| row.task).collect();
    let hashes: Vec<String> = read
        .tasks
        .iter()
        .map(|task| plan_files::hash_of(&task.content))
        .collect();
    let nodes = read.groups.len() + read.tasks.len();
    let ids: Vec<TaskId> = (0..nodes).map(|_| ctx.new_task_id()).collect::<Result<_, _>>()?;
    let importing = Importing {
        id,
        plan: &read,
        hashes: &hashes,
        root: &root.task,
        above: &[],
        known: &known,
        trust_checkboxes: false,
    };
    store.change_tasks(
        &root.project,
        &event_record::task_events(ctx, reorder(importing, &ids)),
    )?;
    Ok(paths)
}
