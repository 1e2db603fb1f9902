//! The use cases of tasks: the tree, the position, and what is done to a task.

mod change;
mod claim;
mod held;
mod place;
mod position;
mod read;
mod refusal;
mod rights;
mod rules;
mod skill;
mod view;

use bugle_core::id::{Actor, PlanId, TaskId};
use bugle_core::task::{RecordedTaskEvent, TaskChanges, TaskEvent, TreePath};
use bugle_store::{ProjectId, TaskRow, TaskStore as _};

pub(crate) use change::{carry_out, there};
pub(crate) use place::move_under;
pub use place::{AddRequest, Destination, Neighbour};
pub(crate) use position::{Standpoint, plan_name};
pub use read::Extent;
pub(crate) use refusal::{refuse_cycle, refused};
pub(crate) use rules::Rules;
pub(crate) use skill::{Installed, Sections, called, pin_view};
pub(crate) use view::{line_views, name_of, task_view};

use crate::prefix::meant;
use crate::{App, AppError, Place};

/// How often ids are tried anew when one is taken.
pub(crate) const ID_TRIES: usize = 8;

/// Which part of the tree is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskScope {
    /// Where this session, or else anybody in this project, worked last; else all of the project.
    Here,
    /// All of the project.
    Project,
    /// A task and what lies in it, by its id or the beginning of it.
    Task(TaskId),
    /// A plan, by its id or the beginning of it.
    Plan(PlanId),
}

impl TaskScope {
    /// Reads what a person or agent typed.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        match text {
            None => Ok(Self::Here),
            Some(text) if text.starts_with("p-") => text.parse().map(Self::Plan).map_err(|bad| bad_id(&bad)),
            Some(text) => text.parse().map(Self::Task).map_err(|bad| bad_id(&bad)),
        }
    }
}

/// A part of the tree that was found.
pub(crate) struct Within {
    pub project: ProjectId,
    pub path: Option<TreePath>,
}

pub(crate) fn bad_id(bad: &bugle_core::id::BadId) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: vec!["`bugle task list` shows the tasks, `bugle plan list` the plans.".to_owned()],
    }
}

/// Reads the id of a task, or the beginning of one.
pub fn task_id(text: &str) -> Result<TaskId, AppError> {
    text.parse().map_err(|bad| bad_id(&bad))
}

/// Reads the id of a plan, or the beginning of one.
pub fn plan_id(text: &str) -> Result<PlanId, AppError> {
    text.parse().map_err(|bad| bad_id(&bad))
}

/// Events as they are kept: of this moment, and by whoever acts.
pub(crate) fn recorded(place: &Place, changes: TaskChanges) -> Vec<(TaskId, RecordedTaskEvent)> {
    recorded_by(&place.actor, changes)
}

/// The same in the name of an actor.
fn recorded_by(by: &Actor, changes: TaskChanges) -> Vec<(TaskId, RecordedTaskEvent)> {
    let at = crate::now();
    let record = |event: TaskEvent| RecordedTaskEvent {
        at,
        by: by.clone(),
        event,
    };
    changes
        .into_iter()
        .map(|(id, event)| (id, record(event)))
        .collect()
}

pub(crate) fn new_task_id() -> Result<TaskId, AppError> {
    Ok(TaskId::from_random(crate::random()?))
}

impl App {
    /// The task that is meant.
    pub(crate) fn task_row(&mut self, id: &TaskId) -> Result<TaskRow, AppError> {
        if let Some(row) = self.store.task(id)? {
            return Ok(row);
        }
        let rows = self.store.tasks_by_prefix(id.as_str())?;
        let hint = format!(
            "`{}` shows the tasks of this project.",
            self.place.command(&["task", "list"])
        );
        meant(
            rows,
            id.as_str(),
            ("task", "tasks"),
            |row| (row.task.id.to_string(), row.task.title.clone()),
            hint,
        )
    }

    /// The part of the tree that is meant; nothing if this project has no tasks.
    pub(crate) fn within(&mut self, scope: &TaskScope) -> Result<Option<Within>, AppError> {
        match scope {
            TaskScope::Task(id) => {
                let row = self.task_row(id)?;
                Ok(Some(Within {
                    project: row.project,
                    path: Some(row.path),
                }))
            }
            TaskScope::Plan(id) => {
                let plan = self.plan_row(id)?;
                let root = self.task_row(&plan.root)?;
                Ok(Some(Within {
                    project: plan.project,
                    path: Some(root.path),
                }))
            }
            TaskScope::Project => Ok(self.project()?.map(|project| Within { project, path: None })),
            TaskScope::Here => {
                let Some(project) = self.project()? else {
                    return Ok(None);
                };
                let path = self.focus(&project)?.map(|root| root.path);
                Ok(Some(Within { project, path }))
            }
        }
    }

    /// The part of the tree in which something may be begun. Whoever is at a task without children has nothing more to begin
    /// in it, so all of the project is meant.
    pub(crate) fn startable(&mut self, scope: &TaskScope) -> Result<Option<Within>, AppError> {
        if *scope != TaskScope::Here {
            return self.within(scope);
        }
        let Some(project) = self.project()? else {
            return Ok(None);
        };
        let root = self.focus(&project)?.filter(|root| root.children > 0);
        let path = root.map(|root| root.path);
        Ok(Some(Within { project, path }))
    }

    /// The open tree that this session, or else anybody in the project, worked on last.
    pub(crate) fn focus(&mut self, project: &ProjectId) -> Result<Option<TaskRow>, AppError> {
        let open = |row: &TaskRow| row.task.is_open();
        if let Some(session) = self.place.session.clone()
            && let Some(root) = self.store.focus(project, Some(&session))?.filter(open)
        {
            return Ok(Some(root));
        }
        Ok(self.store.focus(project, None)?.filter(open))
    }
}
