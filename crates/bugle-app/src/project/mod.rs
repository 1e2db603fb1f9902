//! Projects: which one a place belongs to, and keeping that when folders move.
//!
//! A project is found by its place. Only where the store knows no project at a place are its files asked for an id, so a
//! project that stays where it is costs nothing more.

mod change;
mod list;

use std::path::Path;

use bugle_core::project::{Identity, ProjectKey, identify, moved_folder, moved_part};
use bugle_store::{ProjectId, ProjectRow, ProjectStore as _, Relocation, SqliteStore, Store as _};

use crate::message::{own_name, project_name};
use crate::place::project_folder;
use crate::{App, AppError, identity};

/// What a project is called in the addresses of its agents.
pub(crate) fn called(project: &ProjectRow) -> String {
    project
        .name
        .clone()
        .unwrap_or_else(|| project_name(&project.place))
}

impl App {
    /// The project of this place, if it has any.
    pub(crate) fn project(&mut self) -> Result<Option<ProjectId>, AppError> {
        let found = match self.store.known_project(&self.place.project)? {
            Some(known) => Some(known),
            None => self.arrived()?,
        };
        self.place.called = found.as_ref().and_then(|project| project.name.clone());
        Ok(found.map(|project| project.id))
    }

    /// The project of this place, made if it is new.
    pub(crate) fn made_project(&mut self) -> Result<ProjectId, AppError> {
        if let Some(project) = self.project()? {
            return Ok(project);
        }
        let mut key = ProjectKey::from_random(crate::random()?);
        // An id that this store does not know is as good as a new one, and stays the same for another store.
        if let Some(kept) = identity::kept_here(&self.place)
            && self.store.project_by_id(&ProjectId(kept.to_string()))?.is_none()
        {
            key = kept;
        }
        Ok(self
            .store
            .project(&self.place.project, key.as_str(), crate::now())?)
    }

    /// The same, for work that is to be found again when the folder moves: the project keeps its id in its own folder.
    pub(crate) fn kept_project(&mut self) -> Result<ProjectId, AppError> {
        let project = self.made_project()?;
        self.keep_id(&project)?;
        Ok(project)
    }

    fn keep_id(&mut self, project: &ProjectId) -> Result<(), AppError> {
        if let Some(key) = ProjectKey::parse(&project.0)
            && identity::keep(&self.place, &key)
        {
            self.store.note_kept(project, &self.place.project)?;
        }
        Ok(())
    }

    /// What the project of this place is called in addresses.
    pub(crate) fn project_name(&mut self) -> Result<String, AppError> {
        self.project()?;
        Ok(own_name(&self.place))
    }

    /// The project that is at this place now and was elsewhere before.
    fn arrived(&mut self) -> Result<Option<ProjectRow>, AppError> {
        let former = match identity::kept_here(&self.place) {
            Some(key) => self.store.project_by_id(&ProjectId(key.to_string()))?,
            None => None,
        };
        let same_folder = match &former {
            Some(_) => None,
            None => self
                .store
                .known_project(&identity::other_place(&self.place))?
                .filter(|project| !identity::is_other_project(&self.place, project)),
        };
        let seen = former.as_ref().map(identity::former_place);
        match (identify(seen, same_folder.is_some()), former, same_folder) {
            (Identity::Moved, Some(project), _) => self.relocate(&project, true),
            (Identity::SameFolder, _, Some(project)) => {
                let moved = self.relocate(&project, false)?;
                if let Some(project) = &moved {
                    self.keep_id(&project.id)?;
                }
                Ok(moved)
            }
            // Another process may have moved it here meanwhile.
            _ => Ok(self.store.known_project(&self.place.project)?),
        }
    }

    /// Has a project be here, with the folders of its runs and agents. Another process may have been quicker.
    fn relocate(&mut self, project: &ProjectRow, kept: bool) -> Result<Option<ProjectRow>, AppError> {
        let folders = new_folders(&mut self.store, project, &self.place.project)?;
        let name = called(project);
        self.store.move_project(&Relocation {
            project,
            place: &self.place.project,
            name: (name != project_name(&self.place.project)).then_some(name.as_str()),
            kept,
            folders: &folders,
        })?;
        Ok(self.store.known_project(&self.place.project)?)
    }
}

/// The folders of a project's runs and agents that are elsewhere if the project is at another place: those below its
/// folder, and those beside it that went along.
fn new_folders(
    store: &mut SqliteStore,
    project: &ProjectRow,
    place: &str,
) -> Result<Vec<(String, String)>, AppError> {
    let from = project_folder(&project.place).to_string_lossy();
    let to = project_folder(place).to_string_lossy();
    let beside = moved_part(&project.place, place);
    let mut moved = Vec::new();
    for folder in store.folders_of(&project.id)? {
        let new = moved_folder(&folder, &from, &to).or_else(|| {
            let went_along = |new: &String| Path::new(new).is_dir() && !Path::new(&folder).is_dir();
            moved_folder(&folder, beside.0, beside.1).filter(went_along)
        });
        if let Some(new) = new.filter(|new| *new != folder) {
            moved.push((folder, new));
        }
    }
    Ok(moved)
}
