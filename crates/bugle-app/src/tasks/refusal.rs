//! Refusals of task commands, with the names of the tasks concerned.

use bugle_core::id::TaskId;
use bugle_core::task::{Task, TaskChanges, TaskEvent, TaskRefusal, WaitSource, Waiting, break_cycles};
use bugle_render::task_text::{self, label};
use bugle_store::{ProjectId, Store, TaskWait};
use bugle_wire::RefusalView;

use super::change::load_task;
use crate::{AppError, Context, event_record};

/// The most tasks that a refusal lists.
const MAX_NAMED: usize = 10;

fn waiting(waits: &[TaskWait]) -> Vec<Waiting> {
    let waits = waits.iter();
    waits
        .map(|wait| Waiting {
            task: wait.task.1.clone(),
            on: wait.on.1.clone(),
        })
        .collect()
}

/// Refuses a cycle among the dependencies of a project, including `more`. Where a declared dependency contradicts the order
/// of a plan, the order is dropped. The refusal suggests none of the `new` tasks, since it undoes them.
pub(crate) fn refuse_cycle(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    more: &[TaskWait],
    new: &[TaskId],
) -> Result<(), AppError> {
    let (ordered, mut waits): (Vec<TaskWait>, Vec<TaskWait>) = store
        .waiting(project)?
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
    let mut named = cycle.iter().map(|edge| &waits[*edge].task.0);
    let first = named.find(|id| !new.contains(id)).cloned();
    let mut details = Vec::new();
    for edge in cycle.iter().take(MAX_NAMED) {
        let (task, on) = (
            load_task(store, &waits[*edge].task.0)?,
            load_task(store, &waits[*edge].on.0)?,
        );
        details.push(format!(
            "{} {} waits for {} {}",
            task.task.id,
            label(&task.task),
            on.task.id,
            label(&on.task)
        ));
    }
    Err(AppError::Refused(Box::new(RefusalView {
        code: "circle".to_owned(),
        message: "These tasks would wait for each other in a cycle, and none of them could start.".to_owned(),
        details,
        outline: None,
        remedy: "Nothing was changed. A task also waits for everything that its ancestors wait for, and it closes after \
                 its children."
            .to_owned(),
        position: None,
        command: first.map(|id| ctx.command(&["task", "show", id.as_str()])),
    })))
}

/// A refusal with the names of its tasks and the command to continue with.
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
    let mut labels = Vec::new();
    for id in named.iter().take(MAX_NAMED) {
        labels.push(format!("{id} {}", label(&load_task(store, id)?.task)));
    }
    if named.len() > MAX_NAMED {
        labels.push(format!("and {} more", named.len() - MAX_NAMED));
    }
    let own = task.id.as_str();
    let command = match refusal {
        TaskRefusal::OpenInside(_) => Some(ctx.command(&["task", "list", own])),
        TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => {
            ids.first().map(|id| ctx.command(&["task", "show", id.as_str()]))
        }
        TaskRefusal::Closed(_) | TaskRefusal::Removed => Some(ctx.command(&["task", "reopen", own])),
        // Not `--take-over`: an agent that runs the printed command would take the task from another.
        TaskRefusal::Held(_) => Some(ctx.command(&["task", "ready"])),
        TaskRefusal::ParentRemoved(id) => Some(ctx.command(&["task", "reopen", id.as_str()])),
        TaskRefusal::InRun(run) => Some(ctx.command(&["step", run.as_str()])),
        TaskRefusal::NotAllowed(..) | TaskRefusal::Empty(_) | TaskRefusal::TooLong { .. } => None,
    };
    let (code, text) = task_text::refusal(refusal, &label(task), &labels);
    Ok(AppError::Refused(Box::new(RefusalView {
        code: code.to_owned(),
        message: text.message,
        details: text.details,
        outline: None,
        remedy: text.remedy,
        position: None,
        command,
    })))
}
