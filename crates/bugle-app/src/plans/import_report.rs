//! Reports what an import changed.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::plan::TaskMatch;
use bugle_core::reply::{ImportNotice, PlanImport, TaskName};
use bugle_core::task::{Import, Removal, TaskEvent};
use bugle_store::{PlanRow, Store, TaskRow};

use super::show;
use super::source::PlanSource;
use crate::tasks::load_task;
use crate::{AppError, Context, tasks};

/// The outcome of an import.
pub(super) struct Imported {
    pub plan: PlanRow,
    /// The plan's tasks before the import.
    pub before: Vec<TaskRow>,
    pub import: Import,
    /// Whether the plan was imported before.
    pub again: bool,
    /// The plan's root after the import, and everything below the root, in order.
    pub rows: Vec<TaskRow>,
}

/// Maximum number of removed tasks that get their own notice.
const MAX_GONE: usize = 5;

pub(super) fn import_view(
    store: &mut Store,
    ctx: &Context,
    source: PlanSource,
    imported: Imported,
) -> Result<PlanImport, AppError> {
    let Imported {
        plan,
        before,
        import,
        again,
        rows,
    } = imported;
    let root = rows
        .first()
        .cloned()
        .ok_or_else(|| AppError::System(format!("the root task of plan {} is missing", plan.id)))?;
    let rows: BTreeMap<TaskId, TaskRow> = rows.into_iter().map(|row| (row.task.id.clone(), row)).collect();
    let key = source.key.clone();
    let unclear = source.plan.notes.clone();
    let file = source.into_state(ctx, &plan);
    let mut view = PlanImport {
        plan: show::plan_summary(store, ctx, &plan, &root, file.as_ref())?,
        again,
        added: Vec::new(),
        edited: Vec::new(),
        moved: Vec::new(),
        vanished: Vec::new(),
        unchanged: 0,
        ticked: names(store, &rows, &import.ticked)?,
        came_back: Vec::new(),
        taken_along: Vec::new(),
        reopened: Vec::new(),
        unclear,
        notices: Vec::new(),
        position: tasks::position_in_plan(store, ctx, &root, (plan, file))?,
    };
    let mut kept_out = Vec::new();
    for (id, change) in import.nodes.iter().zip(&import.matches) {
        let Some(row) = rows.get(id) else { continue };
        if row.task.removed.is_some() {
            kept_out.push(row);
        }
        let list = match change {
            TaskMatch::New => &mut view.added,
            TaskMatch::Moved { .. } => &mut view.moved,
            TaskMatch::Edited { .. } => &mut view.edited,
            TaskMatch::Same { .. } => {
                view.unchanged += 1;
                continue;
            }
        };
        list.push(TaskName::of(&row.task));
    }
    let gone: Vec<&TaskRow> = before
        .iter()
        .filter(|row| import.vanished.contains(&row.task.id) && row.task.removed.is_none())
        .collect();
    view.vanished = gone.iter().map(|row| TaskName::of(&row.task)).collect();
    view.notices.extend(removal_notices(ctx, &gone, &kept_out));
    if !import.disbelieved.is_empty() {
        view.notices.push(ImportNotice::MarkedAsDone {
            tasks: import.disbelieved.len(),
            import: ctx.command_here(&["plan", "import", &key, "--trust-checkboxes"]),
        });
    }
    let happened = |wanted: fn(&TaskEvent) -> bool| -> Vec<TaskId> {
        let events = import.changes.iter().filter(|(_, event)| wanted(event));
        events.map(|(id, _)| id.clone()).collect()
    };
    view.reopened = names(
        store,
        &rows,
        &happened(|event| matches!(event, TaskEvent::Reopened { .. })),
    )?;
    view.came_back = names(
        store,
        &rows,
        &happened(|event| matches!(event, TaskEvent::Restored)),
    )?;
    let went_along = |event: &TaskEvent| {
        matches!(
            event,
            TaskEvent::Removed {
                why: Removal::With(_)
            }
        )
    };
    view.taken_along = names(store, &rows, &happened(went_along))?;
    Ok(view)
}

/// Notices about tasks that are no longer in the plan, and about plan tasks that were removed from the tree.
fn removal_notices(ctx: &Context, gone: &[&TaskRow], kept_out: &[&TaskRow]) -> Vec<ImportNotice> {
    let restore = |row: &TaskRow| ctx.command(&["task", "reopen", row.task.id.as_str()]);
    let mut notices = Vec::new();
    for row in gone.iter().take(MAX_GONE) {
        notices.push(ImportNotice::Vanished {
            task: TaskName::of(&row.task),
            status: row.task.status,
            restore: restore(row),
        });
    }
    if gone.len() > MAX_GONE {
        notices.push(ImportNotice::MoreVanished(gone.len() - MAX_GONE));
    }
    for row in kept_out.iter().take(MAX_GONE) {
        notices.push(ImportNotice::KeptOut {
            task: TaskName::of(&row.task),
            restore: restore(row),
        });
    }
    notices
}

/// The names of tasks. Most are in `rows`; the others are loaded.
fn names(
    store: &mut Store,
    rows: &BTreeMap<TaskId, TaskRow>,
    ids: &[TaskId],
) -> Result<Vec<TaskName>, AppError> {
    ids.iter()
        .map(|id| match rows.get(id) {
            Some(row) => Ok(TaskName::of(&row.task)),
            None => Ok(TaskName::of(&load_task(store, id)?.task)),
        })
        .collect()
}
