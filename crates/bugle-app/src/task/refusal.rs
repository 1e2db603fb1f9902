//! Why something may not be done to tasks, with the names of the tasks it is about.

use bugle_core::id::TaskId;
use bugle_core::task::{Task, TaskChanges, TaskEvent, TaskRefusal, WaitSource, Waiting, break_cycles};
use bugle_render::task_words::{self, label};
use bugle_store::{ProjectId, SqliteStore, TaskStore as _, TaskWait};
use bugle_wire::RefusalView;

use super::change::there;
use super::recorded;
use crate::{AppError, Place};

/// How many tasks a refusal names.
const MOST_NAMED: usize = 10;

fn waiting(waits: &[TaskWait]) -> Vec<Waiting> {
    let waits = waits.iter();
    waits
        .map(|wait| Waiting {
            task: wait.task.1.clone(),
            on: wait.on.1.clone(),
        })
        .collect()
}

/// Refuses if the tasks of a project would wait for each other in a circle, with these besides. The order of a plan gives
/// way to what is declared. Tasks that are new will not be there once that is refused.
pub(crate) fn refuse_cycle(
    store: &mut SqliteStore,
    place: &Place,
    project: &ProjectId,
    more: &[TaskWait],
    new: &[TaskId],
) -> Result<(), AppError> {
    let (ordered, mut waits): (Vec<TaskWait>, Vec<TaskWait>) = store
        .waiting(project)?
        .into_iter()
        .partition(|wait| wait.says == WaitSource::Order);
    waits.extend_from_slice(more);
    let circle = match break_cycles(&waiting(&waits), &waiting(&ordered)) {
        Ok(dropped) => {
            let dropped = dropped.into_iter().map(|place| &ordered[place]);
            let changes: TaskChanges = dropped
                .map(|wait| {
                    let on = wait.on.0.clone();
                    (wait.task.0.clone(), TaskEvent::WaitsNoMore { on })
                })
                .collect();
            store.change_tasks(project, &recorded(place, changes))?;
            return Ok(());
        }
        Err(circle) => circle,
    };
    let mut named = circle.iter().map(|edge| &waits[*edge].task.0);
    let first = named.find(|id| !new.contains(id)).cloned();
    let mut details = Vec::new();
    for edge in circle.iter().take(MOST_NAMED) {
        let (task, on) = (
            there(store, &waits[*edge].task.0)?,
            there(store, &waits[*edge].on.0)?,
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
        message: "Then tasks would wait for each other in a circle, and none of them could ever start.".to_owned(),
        details,
        outline: None,
        remedy: "Nothing was changed. A task also waits for everything that its parents wait for, and closes after its \
                 children."
            .to_owned(),
        position: None,
        command: first.map(|id| place.command(&["task", "show", id.as_str()])),
    })))
}

/// A refusal with the names of the tasks it speaks of, and the command that goes on.
pub(crate) fn refused(
    store: &mut SqliteStore,
    place: &Place,
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
    for id in named.iter().take(MOST_NAMED) {
        labels.push(format!("{id} {}", label(&there(store, id)?.task)));
    }
    if named.len() > MOST_NAMED {
        labels.push(format!("and {} more", named.len() - MOST_NAMED));
    }
    let own = task.id.as_str();
    let command = match refusal {
        TaskRefusal::OpenInside(_) => Some(place.command(&["task", "list", own])),
        TaskRefusal::Waits(ids) | TaskRefusal::NotItsTurn(ids) => ids
            .first()
            .map(|id| place.command(&["task", "show", id.as_str()])),
        TaskRefusal::Closed(_) | TaskRefusal::Removed => Some(place.command(&["task", "reopen", own])),
        // Not the command that takes it over: an agent that runs what is printed would take it from another.
        TaskRefusal::Held(_) => Some(place.command(&["task", "ready"])),
        TaskRefusal::ParentRemoved(id) => Some(place.command(&["task", "reopen", id.as_str()])),
        TaskRefusal::InRun(run) => Some(place.command(&["step", run.as_str()])),
        TaskRefusal::NotAllowed(..) | TaskRefusal::Empty(_) | TaskRefusal::TooLong { .. } => None,
    };
    let (code, words) = task_words::refusal(refusal, &label(task), &labels);
    Ok(AppError::Refused(Box::new(RefusalView {
        code: code.to_owned(),
        message: words.message,
        details: words.details,
        outline: None,
        remedy: words.remedy,
        position: None,
        command,
    })))
}
