//! What a person who looks on is shown: lists in pages, and each thing with what lies around it. Nothing here changes
//! the store.

mod agents;
mod now;
mod plan;
mod run;
mod talk;
mod wakeups;

use bugle_render::graph::Graph;
use bugle_render::picture::picture;
use bugle_store::{ProjectId, ProjectRow, ProjectStore as _};
use bugle_wire::ProjectName;

pub use run::RunPicture;

use crate::project::called;
use crate::{App, AppError, Place, read_skill};

/// The projects of a store, to be found by their ids.
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

impl App {
    pub(crate) fn all_projects(&mut self) -> Result<Projects, AppError> {
        let named = |project: ProjectRow| ProjectName {
            name: called(&project),
            id: project.id.0,
            place: project.place,
        };
        Ok(Projects(self.store.projects()?.into_iter().map(named).collect()))
    }

    /// Every project that the store knows, by place.
    pub fn projects(&mut self) -> Result<Vec<ProjectName>, AppError> {
        Ok(self.all_projects()?.0)
    }

    /// Goes on in another project, as the same person. `None` stays in this one if the store knows it, else it is the
    /// first that the store knows. Nothing is known of the one that is gone on in if there is none at all.
    pub fn enter_project(&mut self, id: Option<&str>) -> Result<Option<ProjectName>, AppError> {
        let projects = self.projects()?;
        let found = if let Some(id) = id {
            let found = projects.into_iter().find(|project| project.id == id);
            Some(found.ok_or_else(|| AppError::NotFound {
                what: format!("there is no project {id}"),
                hints: Vec::new(),
            })?)
        } else {
            let here = projects
                .iter()
                .find(|project| project.place == self.place.project);
            here.or(projects.first()).cloned()
        };
        if let Some(project) = &found
            && project.place != self.place.project
        {
            self.place = self.place.in_project(&project.place);
        }
        Ok(found)
    }
}

/// The graph of a skill's workflow; nothing if it has none that can be read.
pub fn draw_skill(place: &Place, name: &str) -> Result<Option<Graph>, AppError> {
    let package = read_skill(place, name)?;
    let graph = package
        .definition
        .as_ref()
        .map(|definition| picture("", definition))
        .transpose();
    graph.map_err(|error| AppError::System(error.to_string()))
}
