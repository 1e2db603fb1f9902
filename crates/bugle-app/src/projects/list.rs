//! Lists projects, and resolves a project named by the user.

use std::path::PathBuf;

use bugle_core::reply::{ProjectEntry, ProjectList};
use bugle_store::{ProjectRow, Store};

use super::current::project;
use crate::context::project_folder;
use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, addresses};

/// Minimum length of a project id prefix: `p-` and two characters.
const MIN_PREFIX: usize = 4;

/// All projects in the store, sorted by path.
pub fn list_projects(store: &mut Store, ctx: &Context) -> Result<ProjectList, AppError> {
    let here = project(store, ctx)?;
    let mut projects = Vec::new();
    for row in store.projects()? {
        let counts = store.project_counts(&row)?;
        let folder = project_folder(&row.place);
        projects.push(ProjectEntry {
            name: addresses::name_of_project(&row),
            folder: row.is_here().then(|| folder.to_string_lossy().into_owned()),
            exists: folder.is_dir(),
            remote: (row.shared_id != row.id.0).then(|| row.shared_id.clone()),
            keeps_id: row.kept,
            here: here.as_ref() == Some(&row.id),
            runs: counts.runs,
            open_runs: counts.open_runs,
            tasks: counts.tasks,
            open_tasks: counts.open_tasks,
            last_activity: counts.last_activity,
            id: row.id.0,
        });
    }
    Ok(ProjectList { projects })
}

/// The project with this id, id prefix, name or folder. The folder may no longer exist.
pub(crate) fn resolve_project(store: &mut Store, ctx: &Context, text: &str) -> Result<ProjectRow, AppError> {
    let folder = resolve_folder(ctx, text);
    for place in [folder.join(".git"), folder] {
        if let Some(project) = store.known_project(&place.to_string_lossy())? {
            return Ok(project);
        }
    }
    let is_id = text.len() >= MIN_PREFIX && text.starts_with("p-");
    let mut rows = store.projects()?;
    rows.retain(|row| (is_id && row.id.0.starts_with(text)) || addresses::name_of_project(row) == text);
    let listed = ctx.command(&["project", "list"]);
    resolve_prefix(
        rows,
        text,
        ("project", "projects"),
        |row| (row.id.0.clone(), row.place.clone()),
        format!("`{listed}` lists the projects."),
    )
}

/// Resolves a path against the current folder. Resolves symbolic links as far as the path exists.
pub(super) fn resolve_folder(ctx: &Context, text: &str) -> PathBuf {
    let folder = ctx.directory.join(text);
    if let Ok(found) = folder.canonicalize() {
        return found;
    }
    // The folder no longer exists, but its parent may still be behind a link.
    let parts: PathBuf = folder.components().collect();
    match (
        parts.parent().and_then(|parent| parent.canonicalize().ok()),
        parts.file_name(),
    ) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => parts,
    }
}
