//! Adds and removes dependencies, and reports how they change a plan's order.

use std::collections::BTreeSet;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::reply::{SideEffect, TaskName, TasksChanged};
use bugle_core::rights::Action;
use bugle_core::task::{Task, TaskChanges, TaskEvent, WaitSource, reordered, work_order};
use bugle_store::{Store, TaskRow, TaskWait};

use super::change::{plan_of, resolve_task_ids, task_changed, tasks};
use super::cycle_check::{CycleCheck, refuse_cycle};
use super::plan_order::reorder_plan;
use super::scope::{load_task, task_row};
use crate::{AppError, Context, event_record, permissions};

/// Adds dependencies to a task, or removes them if `no_more` is set.
pub fn depend_task(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    on: &[TaskId],
    no_more: bool,
) -> Result<TasksChanged, AppError> {
    let task = task_row(store, ctx, id)?.task;
    let id = task.id;
    let on = resolve_task_ids(store, ctx, on)?;
    let is_order = |on: &TaskId| task.waits_for.get(on) == Some(&WaitSource::Order);
    let waives = no_more && on.iter().any(is_order);
    let mut acting = ctx.clone();
    if waives {
        let named = [id.as_str()].into_iter().chain(on.iter().map(TaskId::as_str));
        let arguments: Vec<&str> = ["task", "depend", "--no-more"].into_iter().chain(named).collect();
        // Agents must follow the plan's order: only the user can waive it.
        acting.actor = permissions::permit(store, ctx, Action::WaiveOrder, &arguments)?;
    }
    let acting = &acting;
    let also = store.transaction(|tx| {
        let row = load_task(tx, &id)?;
        let mut changes = TaskChanges::new();
        let mut also = Vec::new();
        let mut edges = Vec::new();
        let mut plans: BTreeSet<PlanId> = plan_of(&row).into_iter().collect();
        let mut groups: Vec<SiblingOrder> = Vec::new();
        for on in &on {
            let other = load_task(tx, on)?;
            if other.project != row.project {
                return Err(AppError::Usage {
                    what: format!("{on} belongs to another project"),
                    hints: Vec::new(),
                });
            }
            groups.extend(SiblingOrder::of_both(tx, &row, &other)?);
            let source = row.task.waits_for.get(on).copied();
            // The caller can declare a dependency that the plan's order already implies.
            let known = source.is_some_and(|source| no_more || source != WaitSource::Order);
            let name = TaskName::of(&other.task);
            also.push(match (no_more, known) {
                (true, true) => SideEffect::WaitsNoMore(name),
                (true, false) => SideEffect::DidNotWait(name),
                (false, false) => SideEffect::Waits(name),
                (false, true) => SideEffect::AlreadyWaits(name),
            });
            match (no_more, known) {
                (true, true) if source == Some(WaitSource::Order) => {
                    if !waives {
                        return Err(AppError::System(format!(
                            "another process has just changed {id}; try again"
                        )));
                    }
                    changes.push((id.clone(), TaskEvent::OrderWaived { on: on.clone() }));
                }
                (true, true) => changes.push((id.clone(), TaskEvent::WaitsNoMore { on: on.clone() })),
                (false, false) => {
                    plans.extend(plan_of(&other));
                    edges.push(wait(&row, &other));
                    let says = WaitSource::Hand;
                    changes.push((id.clone(), TaskEvent::Waits { on: on.clone(), says }));
                }
                (true, false) | (false, true) => {}
            }
        }
        let mut check = CycleCheck::of(&row.path);
        check.more = &edges;
        refuse_cycle(tx, acting, &row.project, check)?;
        if !changes.is_empty() {
            tx.change_tasks(&row.project, &event_record::task_events(acting, changes))?;
            let mut check = CycleCheck::of(&row.path);
            for plan in &plans {
                check.changed.extend(reorder_plan(tx, acting, plan)?);
            }
            refuse_cycle(tx, acting, &row.project, check)?;
            for group in groups {
                also.extend(group.changed(tx)?);
            }
        }
        also.dedup();
        Ok::<_, AppError>(also)
    })?;
    task_changed(store, ctx, &id, also)
}

fn wait(row: &TaskRow, on: &TaskRow) -> TaskWait {
    TaskWait {
        task: (row.task.id.clone(), row.path.clone()),
        on: (on.task.id.clone(), on.path.clone()),
        says: WaitSource::Hand,
    }
}

/// The order of a plan's sibling tasks before a dependency changes.
struct SiblingOrder {
    parent: TaskRow,
    before: Vec<TaskId>,
}

impl SiblingOrder {
    /// The order of the siblings below the two tasks' nearest common ancestor; `None` if that ancestor is not part of a
    /// plan.
    fn of_both(store: &mut Store, one: &TaskRow, other: &TaskRow) -> Result<Option<Self>, AppError> {
        let mut above = store.above(one)?.into_iter();
        let shared = above.find(|parent| parent.path.holds(&other.path));
        let Some(parent) = shared.filter(|parent| plan_of(parent).is_some()) else {
            return Ok(None);
        };
        let before = work_order(&siblings(store, &parent)?);
        Ok(Some(Self { parent, before }))
    }

    /// The new order; `None` if the order is the same.
    fn changed(&self, store: &mut Store) -> Result<Option<SideEffect>, AppError> {
        let siblings = siblings(store, &self.parent)?;
        let after = work_order(&siblings);
        let name = |id: &TaskId| siblings.iter().find(|task| task.id == *id).map(TaskName::of);
        let names: Vec<TaskName> = reordered(&self.before, &after).iter().filter_map(name).collect();
        Ok((!names.is_empty()).then_some(SideEffect::NewOrder(names)))
    }
}

fn siblings(store: &mut Store, parent: &TaskRow) -> Result<Vec<Task>, AppError> {
    Ok(tasks(store.siblings(
        &parent.project,
        Some(&parent.task.id),
        false,
    )?))
}
