//! Refuses changes that create a dependency cycle. Reads only dependencies that can be part of a new cycle.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::reply::{RefusalReason, Refused, TaskName};
use bugle_core::task::{CycleSearch, TaskChanges, TaskEvent, TreePath, WaitSource, Waiting, break_cycles};
use bugle_store::{ProjectId, Store, TaskRow, TaskWait};

use super::scope::load_task;
use crate::{AppError, Context, event_record};

/// Maximum number of a cycle's dependencies that a refusal lists.
const MAX_NAMED: usize = 10;

/// The change to check for a cycle.
pub(crate) struct CycleCheck<'a> {
    /// The paths of the changed tasks. Tasks below them may have changed too.
    pub changed: Vec<TreePath>,
    /// New dependencies that are not in the store yet.
    pub more: &'a [TaskWait],
    /// New tasks. The refusal rolls them back, so it must not suggest them.
    pub new: &'a [TaskId],
}

impl CycleCheck<'_> {
    pub(crate) fn of(changed: &TreePath) -> Self {
        Self {
            changed: vec![changed.clone()],
            more: &[],
            new: &[],
        }
    }

    /// Checks siblings that were added or moved.
    pub(crate) fn of_siblings(
        store: &mut Store,
        ids: &[TaskId],
        changes: &TaskChanges,
    ) -> Result<Self, AppError> {
        let mut rows = Vec::new();
        for id in ids {
            rows.push(load_task(store, id)?);
        }
        let above = match rows.first() {
            Some(row) => store.above(row)?,
            None => Vec::new(),
        };
        let paths = rows
            .iter()
            .map(|row| outermost_changed(&row.path, &above, changes));
        Ok(Self {
            changed: paths.cloned().collect(),
            more: &[],
            new: &[],
        })
    }
}

/// The path of the outermost changed task among this task and its ancestors.
pub(crate) fn outermost_changed<'a>(
    path: &'a TreePath,
    above: &'a [TaskRow],
    changes: &TaskChanges,
) -> &'a TreePath {
    let is_changed = |row: &&TaskRow| changes.iter().any(|(id, _)| *id == row.task.id);
    above.iter().rev().find(is_changed).map_or(path, |row| &row.path)
}

fn waiting(waits: &[TaskWait]) -> Vec<Waiting> {
    let waits = waits.iter();
    waits
        .map(|wait| Waiting {
            task: wait.task.1.clone(),
            on: wait.on.1.clone(),
        })
        .collect()
}

/// The dependencies that can be part of a cycle after this change.
fn waits_to_check(
    store: &mut Store,
    project: &ProjectId,
    changed: Vec<TreePath>,
    more: &[TaskWait],
) -> Result<Vec<TaskWait>, AppError> {
    let mut found: BTreeMap<(TaskId, TaskId), TaskWait> = BTreeMap::new();
    let mut search = CycleSearch::after_change(changed);
    for wait in more {
        search.follow(&wait.on.1);
    }
    while let Some(task) = search.next_task() {
        for wait in store.waits_before_closing(project, &task)? {
            search.follow(&wait.on.1);
            found.insert((wait.task.0.clone(), wait.on.0.clone()), wait);
        }
    }
    Ok(found.into_values().collect())
}

/// Fails if a project's dependencies form a cycle after a change. Declared dependencies take precedence: a conflicting
/// dependency from a plan's order is dropped.
pub(crate) fn refuse_cycle(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    check: CycleCheck<'_>,
) -> Result<(), AppError> {
    let CycleCheck { changed, more, new } = check;
    let (ordered, mut waits): (Vec<TaskWait>, Vec<TaskWait>) = waits_to_check(store, project, changed, more)?
        .into_iter()
        .partition(|wait| wait.says == WaitSource::Order);
    waits.extend_from_slice(more);
    let cycle = match break_cycles(&waiting(&waits), &waiting(&ordered)) {
        Ok(dropped) => {
            let dropped = dropped.into_iter().map(|index| &ordered[index]);
            let changes: TaskChanges = dropped
                .map(|wait| {
                    let on = wait.on.0.clone();
                    (wait.task.0.clone(), TaskEvent::WaitsNoMore { on })
                })
                .collect();
            store.change_tasks(project, &event_record::task_events(ctx, changes))?;
            return Ok(());
        }
        Err(cycle) => cycle,
    };
    let cycle: Vec<&TaskWait> = cycle.iter().map(|edge| &waits[*edge]).collect();
    Err(refused_cycle(store, ctx, &cycle, new)?)
}

/// Builds the refusal of a cycle. The refusal rolls the `new` tasks back, so it suggests none of them.
fn refused_cycle(
    store: &mut Store,
    ctx: &Context,
    cycle: &[&TaskWait],
    new: &[TaskId],
) -> Result<AppError, AppError> {
    let mut named = cycle.iter().map(|wait| &wait.task.0);
    let first = named.find(|id| !new.contains(id)).cloned();
    let mut waits = Vec::new();
    for wait in cycle.iter().take(MAX_NAMED) {
        let (task, on) = (load_task(store, &wait.task.0)?, load_task(store, &wait.on.0)?);
        waits.push((TaskName::of(&task.task), TaskName::of(&on.task)));
    }
    Ok(AppError::Refused(Box::new(Refused {
        command: first.map(|id| ctx.command(&["task", "show", id.as_str()])),
        ..Refused::new(RefusalReason::TaskCycle(waits))
    })))
}
