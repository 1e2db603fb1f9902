//! Mirrors the client's to-do list as tasks.

use bugle_client::hook::HookCall;
use bugle_core::hook::{TodoAction, TodoState, TodoUpdate, mirror};
use bugle_core::id::{SessionId, TaskId};
use bugle_core::task::{TaskCommand, TaskStatus};
use bugle_render::hook_text;
use bugle_store::Store;

use super::session::{main_run, session_row};
use crate::ownership::worker;
use crate::tasks::AddRequest;
use crate::{AppError, Context, tasks};

/// Updates the tasks that mirror a to-do list.
pub(super) fn mirror_todos(
    store: &mut Store,
    ctx: &Context,
    call: &HookCall,
    session: &SessionId,
    change: &TodoUpdate,
) -> Result<(), AppError> {
    let mut row = session_row(store, ctx, call, session)?;
    let memory = &mut row.memory;
    // Do not change a finished list. The next change starts a new list.
    let over = match &memory.list {
        Some(list) => {
            let list = store.task(list)?;
            list.is_none_or(|list| !list.task.status.is_open() || list.task.removed.is_some())
        }
        None => true,
    };
    if over {
        memory.list = None;
        memory.listed.clear();
    }
    let acts = mirror(&memory.listed, change);
    if acts.is_empty() {
        return Ok(());
    }
    let list = match &memory.list {
        Some(list) => list.clone(),
        None => new_list(store, ctx, session, call)?,
    };
    memory.list = Some(list.clone());
    for act in acts {
        match act {
            TodoAction::Add { key, title, state } => {
                let task = add_task(store, ctx, &title, Some(&list))?;
                set_state(store, ctx, &task, state)?;
                memory.listed.insert(key, task);
            }
            TodoAction::Set { task, title, state } => {
                if let Some(title) = title {
                    change_unless_refused(store, ctx, &task, &TaskCommand::Retitle(title))?;
                }
                if let Some(state) = state {
                    set_state(store, ctx, &task, state)?;
                }
            }
            TodoAction::Drop { key, task } => {
                // Keep closed tasks, and remove open ones.
                if status_of(store, &task)?.is_some_and(TaskStatus::is_open) {
                    change_unless_refused(store, ctx, &task, &TaskCommand::Remove)?;
                }
                memory.listed.remove(&key);
            }
        }
    }
    let mut open = false;
    for task in memory.listed.values() {
        open |= status_of(store, task)?.is_some_and(TaskStatus::is_open);
    }
    if !open {
        change_unless_refused(store, ctx, &list, &TaskCommand::Done)?;
    }
    Ok(store.keep_session(&row)?)
}

/// Adds the task for a new list, under the agent's task if it has one.
fn new_list(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
    call: &HookCall,
) -> Result<TaskId, AppError> {
    let run = main_run(store, session)?;
    let title = hook_text::list_title(
        call.client.title(),
        run.as_ref().map(|run| (run.skill.as_str(), run.id.as_str())),
    );
    let own = tasks::own_tasks(store, ctx, None)?;
    let list = add_task(store, ctx, &title, own.first().map(|task| &task.id))?;
    set_state(store, ctx, &list, TodoState::Active)?;
    Ok(list)
}

fn add_task(
    store: &mut Store,
    ctx: &Context,
    title: &str,
    under: Option<&TaskId>,
) -> Result<TaskId, AppError> {
    let agent = worker(store, ctx)?.map(|worker| worker.name);
    let changed = tasks::add_tasks(
        store,
        ctx,
        &AddRequest {
            titles: vec![title.to_owned()],
            under: under.cloned(),
            agent,
            ..AddRequest::default()
        },
    )?;
    let added = changed
        .tasks
        .first()
        .ok_or_else(|| AppError::System("cannot find the added task".to_owned()))?;
    Ok(added.id.clone())
}

fn status_of(store: &mut Store, task: &TaskId) -> Result<Option<TaskStatus>, AppError> {
    let row = store.task(task)?;
    Ok(row
        .filter(|row| row.task.removed.is_none())
        .map(|row| row.task.status))
}

/// Sets a task's state to the state of its to-do item.
fn set_state(store: &mut Store, ctx: &Context, task: &TaskId, state: TodoState) -> Result<(), AppError> {
    let Some(status) = status_of(store, task)? else {
        return Ok(());
    };
    let start = TaskCommand::Start {
        agent: None,
        run: None,
        take_over: false,
    };
    match (state, status) {
        (TodoState::Pending, TaskStatus::Pending)
        | (TodoState::Active, TaskStatus::Active)
        | (TodoState::Done, TaskStatus::Done) => Ok(()),
        (TodoState::Pending, _) => change_unless_refused(store, ctx, task, &TaskCommand::Reopen),
        (TodoState::Active, status) => {
            if !status.is_open() {
                change_unless_refused(store, ctx, task, &TaskCommand::Reopen)?;
            }
            change_unless_refused(store, ctx, task, &start)
        }
        (TodoState::Done, _) => change_unless_refused(store, ctx, task, &TaskCommand::Done),
    }
}

/// Changes a task; ignores a refusal, because the agent's list need not follow the rules of the task tree.
fn change_unless_refused(
    store: &mut Store,
    ctx: &Context,
    task: &TaskId,
    command: &TaskCommand,
) -> Result<(), AppError> {
    match tasks::change_task(store, ctx, task, command) {
        Ok(_) | Err(AppError::Refused(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
