//! Every project, and which one is meant.

use std::path::{Path, PathBuf};

use bugle_store::{ProjectRow, ProjectStore as _};
use bugle_wire::{ProjectEntry, ProjectList};

use super::called;
use crate::place::project_folder;
use crate::prefix::meant;
use crate::{App, AppError};

impl App {
    /// Every project of the store, by place.
    pub fn list_projects(&mut self) -> Result<ProjectList, AppError> {
        let here = self.project()?;
        let mut projects = Vec::new();
        for row in self.store.projects()? {
            let counts = self.store.project_counts(&row)?;
            let folder = project_folder(&row.place);
            projects.push(ProjectEntry {
                name: called(&row),
                folder: folder.to_string_lossy().into_owned(),
                exists: folder.is_dir(),
                keeps_id: row.kept,
                here: here.as_ref() == Some(&row.id),
                runs: counts.runs,
                open_runs: counts.open_runs,
                tasks: counts.tasks,
                open_tasks: counts.open_tasks,
                last_activity: counts.last_activity.0,
                id: row.id.0,
            });
        }
        Ok(ProjectList { projects })
    }

    /// The project that is meant by its id, the beginning of one, or its folder, which need not exist any more.
    pub(super) fn project_meant(&mut self, text: &str) -> Result<ProjectRow, AppError> {
        let folder = self.folder_meant(text);
        let mut rows = self.store.projects()?;
        if let Some(at) = rows
            .iter()
            .position(|row| project_folder(&row.place) == folder || Path::new(&row.place) == folder)
        {
            return Ok(rows.swap_remove(at));
        }
        let is_id = text.len() >= SHORTEST_ID && text.starts_with("p-");
        rows.retain(|row| is_id && row.id.0.starts_with(text));
        let listed = self.place.command(&["project", "list"]);
        meant(
            rows,
            text,
            ("project", "projects"),
            |row| (row.id.0.clone(), row.place.clone()),
            format!("`{listed}` lists the projects."),
        )
    }

    /// A folder as it was typed, from the folder that this is run in, without links where it exists.
    pub(super) fn folder_meant(&self, text: &str) -> PathBuf {
        let folder = self.place.directory.join(text);
        if let Ok(found) = folder.canonicalize() {
            return found;
        }
        // The folder is gone; the one around it may still be reached through a link.
        let parts: PathBuf = folder.components().collect();
        match (
            parts.parent().and_then(|parent| parent.canonicalize().ok()),
            parts.file_name(),
        ) {
            (Some(parent), Some(name)) => parent.join(name),
            _ => parts,
        }
    }
}

/// The fewest characters that name a project: `p-` and two more.
const SHORTEST_ID: usize = 4;
