//! Refusals of task commands, with the names of the affected tasks.

use bugle_core::id::TaskId;
use bugle_core::reply::{RefusalReason, Refused, TaskName};
use bugle_core::task::{Task, TaskRefusal};
use bugle_store::Store;

use super::scope::load_task;
use crate::{AppError, Context};

/// Maximum number of tasks that a refusal lists.
const MAX_NAMED: usize = 10;

/// Builds a refusal with the names of the affected tasks and the command to run next.
pub(crate) fn refused(
    store: &mut Store,
    ctx: &Context,
    task: &Task,
    refusal: &TaskRefusal,
) -> Result<AppError, AppError> {
    let named: Vec<TaskId> = match refusal {
        TaskRefusal::OpenInside(ids) | TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => ids.clone(),
        TaskRefusal::ParentRemoved(id) => vec![id.clone()],
        TaskRefusal::NotAllowed(..) => vec![task.id.clone()],
        _ => Vec::new(),
    };
    let mut shown = Vec::new();
    for id in named.iter().take(MAX_NAMED) {
        shown.push(TaskName::of(&load_task(store, id)?.task));
    }
    let own = task.id.as_str();
    let command = match refusal {
        TaskRefusal::OpenInside(_) => Some(ctx.command(&["task", "list", own])),
        TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => {
            ids.first().map(|id| ctx.command(&["task", "show", id.as_str()]))
        }
        TaskRefusal::Closed(_) | TaskRefusal::Removed => Some(ctx.command(&["task", "reopen", own])),
        // Do not suggest `--take-over`: an agent that runs it would take the task from another agent.
        TaskRefusal::Held(_) => Some(ctx.command(&["task", "ready"])),
        TaskRefusal::ParentRemoved(id) => Some(ctx.command(&["task", "reopen", id.as_str()])),
        TaskRefusal::InRun(run) => Some(ctx.command(&["step", run.as_str()])),
        TaskRefusal::NotAllowed(..) | TaskRefusal::Empty(_) | TaskRefusal::TooLong { .. } => None,
    };
    Ok(AppError::Refused(Box::new(Refused {
        command,
        ..Refused::new(RefusalReason::Task {
            refusal: refusal.clone(),
            task: TaskName::of(task),
            more: named.len() - shown.len(),
            named: shown,
        })
    })))
}
