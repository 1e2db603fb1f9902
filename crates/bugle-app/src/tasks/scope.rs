//! Finds tasks and the part of the task tree that a command applies to.

use bugle_core::did_you_mean::nearest;
use bugle_core::id::TaskId;
use bugle_store::{Focus, ProjectId, Store, TaskRow};

use super::{Subtree, TaskScope};
use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, plan_files, projects};

/// Maximum number of known ids to compare with an unknown id.
const MAX_COMPARED: u32 = 200;

/// Loads a task by its full id. Fails if the task does not exist.
pub(crate) fn load_task(store: &mut Store, id: &TaskId) -> Result<TaskRow, AppError> {
    store.task(id)?.ok_or_else(|| AppError::NotFound {
        what: format!("there is no task {id}"),
        hints: vec!["`bugle task list` lists the project's tasks.".to_owned()],
    })
}

/// The task with this id or id prefix.
pub(crate) fn task_row(store: &mut Store, ctx: &Context, id: &TaskId) -> Result<TaskRow, AppError> {
    if let Some(row) = store.task(id)? {
        return Ok(row);
    }
    let rows = store.tasks_by_prefix(id.as_str())?;
    let hint = if rows.is_empty() {
        similar_task(store, ctx, id)?
    } else {
        None
    };
    let hint = hint.unwrap_or_else(|| {
        let list = ctx.command(&["task", "list"]);
        format!("`{list}` lists the tasks in this project.")
    });
    resolve_prefix(
        rows,
        id.as_str(),
        ("task", "tasks"),
        |row| (row.task.id.to_string(), row.task.title.clone()),
        hint,
    )
}

/// A hint with the most similar id of an open task in this project.
fn similar_task(store: &mut Store, ctx: &Context, id: &TaskId) -> Result<Option<String>, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(None);
    };
    let rows = store.window(&project, None, false, MAX_COMPARED)?;
    let near = nearest(id.as_str(), rows.iter().map(|row| row.task.id.as_str()));
    Ok(near.map(|near| format!("Did you mean {near}?")))
}

/// Resolves a scope. Returns `None` if the store does not know this project.
pub(crate) fn resolve_scope(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
) -> Result<Option<Subtree>, AppError> {
    match scope {
        TaskScope::Task(id) => {
            let row = task_row(store, ctx, id)?;
            Ok(Some(Subtree {
                project: row.project,
                path: Some(row.path),
            }))
        }
        TaskScope::Plan(id) => {
            let plan = plan_files::load_plan(store, ctx, id)?;
            let root = task_row(store, ctx, &plan.root)?;
            Ok(Some(Subtree {
                project: plan.project,
                path: Some(root.path),
            }))
        }
        TaskScope::Project => {
            Ok(projects::project(store, ctx)?.map(|project| Subtree { project, path: None }))
        }
        TaskScope::Here => {
            let Some(project) = projects::project(store, ctx)? else {
                return Ok(None);
            };
            let path = focus(store, ctx, &project)?.map(|focus| focus.path);
            Ok(Some(Subtree { project, path }))
        }
    }
}

/// Resolves a scope to the subtree to search for startable tasks. Searches the whole project if the focused task has
/// no children.
pub(crate) fn startable_scope(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
) -> Result<Option<Subtree>, AppError> {
    if *scope != TaskScope::Here {
        return resolve_scope(store, ctx, scope);
    }
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(None);
    };
    let focus = focus(store, ctx, &project)?.filter(|focus| focus.children > 0);
    let path = focus.map(|focus| focus.path);
    Ok(Some(Subtree { project, path }))
}

/// The open tree that this session, or else another session in the project, last worked on.
pub(crate) fn focus(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
) -> Result<Option<Focus>, AppError> {
    let open = |focus: &Focus| focus.is_open;
    if let Some(session) = ctx.session.clone()
        && let Some(own) = store.focus(project, Some(&session))?.filter(open)
    {
        return Ok(Some(own));
    }
    Ok(store.focus(project, None)?.filter(open))
}
