//! The projects in the store, for pages that show several projects.

use bugle_store::{ProjectId, ProjectRow, Store};
use serde::Serialize;

use crate::{AppError, Context, addresses};

/// A project's name, id and folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectName {
    /// The project's id.
    pub id: String,
    /// The project's name.
    pub name: String,
    /// The path that identifies the project.
    pub place: String,
}

/// The projects in the store, by id.
pub(crate) struct Projects(Vec<ProjectName>);

impl Projects {
    pub(crate) fn get(&self, id: &ProjectId) -> ProjectName {
        let found = self.0.iter().find(|project| project.id == id.0);
        found.cloned().unwrap_or_else(|| ProjectName {
            id: id.0.clone(),
            name: id.0.clone(),
            place: String::new(),
        })
    }
}

pub(crate) fn all_projects(store: &mut Store) -> Result<Projects, AppError> {
    let named = |project: ProjectRow| ProjectName {
        name: addresses::name_of_project(&project),
        id: project.id.0,
        place: project.place,
    };
    Ok(Projects(store.projects()?.into_iter().map(named).collect()))
}

/// Every project in the store, sorted by path.
pub fn projects(store: &mut Store) -> Result<Vec<ProjectName>, AppError> {
    Ok(all_projects(store)?.0)
}

/// Switches to the project with this id, as the same person. Without an id, stays in the current project if the store
/// has it, else enters the first project in the store. Returns `None` if the store has no projects.
pub fn enter_project(
    store: &mut Store,
    ctx: &mut Context,
    id: Option<&str>,
) -> Result<Option<ProjectName>, AppError> {
    let projects = projects(store)?;
    let found = if let Some(id) = id {
        let found = projects.into_iter().find(|project| project.id == id);
        Some(found.ok_or_else(|| AppError::NotFound {
            what: format!("there is no project {id}"),
            hints: Vec::new(),
        })?)
    } else {
        let here = projects.iter().find(|project| project.place == ctx.project);
        here.or(projects.first()).cloned()
    };
    if let Some(project) = &found
        && project.place != ctx.project
    {
        *ctx = ctx.in_project(&project.place);
    }
    Ok(found)
}
