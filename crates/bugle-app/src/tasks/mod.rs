//! Task use cases: the tree, the position, and changes.

mod change;
mod claim;
mod cycle_check;
mod next_commands;
mod ownership;
mod permission;
mod placement;
mod plan_of_task;
mod plan_order;
mod position;
mod refusal;
mod show;
mod skill;
mod skill_pin;
mod skill_rules;
mod view;

pub use change::{change_task, change_task_by, depend_task};
pub(crate) use change::{execute_command, load_task};
pub use claim::{claim_task, nothing_to_claim, own_tasks};
pub(crate) use cycle_check::{CycleCheck, outermost_changed, refuse_cycle};
pub(crate) use ownership::other_holder_name;
pub(crate) use placement::move_under;
pub use placement::{AddRequest, Destination, Neighbour, add_tasks, move_task};
pub(crate) use plan_of_task::{plan_above, plan_name};
pub(crate) use plan_order::{reorder_plan, tasks_around};
pub(crate) use position::{
    CurrentTask, MAX_SCANNED, PositionContext, is_begun, position, position_in_plan, position_of,
};
pub use position::{next_task, ready_tasks};
pub(crate) use refusal::refused;
pub use show::{Extent, removed_tasks, show_task, task_tree};
pub(crate) use skill::{Sections, sections_for};
pub use skill::{task_skill, task_skill_text};
pub(crate) use skill_pin::{InstalledSkill, pin_view, version_label};
pub(crate) use skill_rules::Rules;
pub(crate) use view::{line_views, name_of, task_view};

use bugle_core::did_you_mean::nearest;
use bugle_core::id::{PlanId, TaskId};
use bugle_core::task::TreePath;
use bugle_store::{Focus, ProjectId, Store, TaskRow};

use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, plan_files, projects, resolve_id};

/// Maximum number of known ids to compare with an unknown id.
const MAX_COMPARED: u32 = 200;

/// The part of the task tree that a command is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskScope {
    /// The tree that this session, or else another session in the project, last worked on. If there is none, the whole
    /// project.
    Here,
    /// The whole project.
    Project,
    /// A task and everything below it, by id or id prefix.
    Task(TaskId),
    /// A plan, by id or id prefix.
    Plan(PlanId),
}

impl TaskScope {
    /// Parses a command-line argument.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        match text {
            None => Ok(Self::Here),
            Some(text) if text.starts_with("p-") => text
                .parse()
                .map(Self::Plan)
                .map_err(|bad| resolve_id::bad_id(&bad)),
            Some(text) => text
                .parse()
                .map(Self::Task)
                .map_err(|bad| resolve_id::bad_id(&bad)),
        }
    }
}

/// A resolved scope: a project, or the task at `path` and everything below it.
pub(crate) struct Subtree {
    pub project: ProjectId,
    pub path: Option<TreePath>,
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

/// Resolves a scope to the subtree to search for startable tasks. Searches the whole project if the focused task has no
/// children.
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
