//! Finds a folder's project, even after the folder has moved.
//!
//! The store finds a project by its location. Bugle reads the id in the folder only if the store has no project at that
//! location, so a project that has not moved needs no file access.

mod change;
mod list;

pub use change::{merge_projects, move_project};
pub use list::list_projects;

use std::path::Path;

use bugle_core::project::{Identity, ProjectKey, identify, moved_folder, moved_part};
use bugle_store::{ProjectId, ProjectRow, Relocation, Store};

use crate::context::project_folder;
use crate::{AppError, Context, addresses, identity};

/// The project at the current location.
enum Located {
    /// The store has the project at this location.
    Here(ProjectRow),
    /// The project has moved here, but the store still has its former location.
    Moved {
        project: ProjectRow,
        /// Whether this folder stores the id.
        kept: bool,
    },
}

/// The current project, if the store has it. Only reads: a project that has moved here keeps its former location in the
/// store until [`follow_move`].
pub(crate) fn project(store: &mut Store, ctx: &Context) -> Result<Option<ProjectId>, AppError> {
    let (id, name) = match locate(store, ctx)? {
        Some(Located::Here(project)) => (Some(project.id), project.name),
        Some(Located::Moved { project, .. }) => {
            let name = name_at(&project, &ctx.project);
            (Some(project.id), name)
        }
        None => (None, None),
    };
    // The first value stays: a project's name does not change while a command runs.
    let _ = ctx.project_name.set(name);
    Ok(id)
}

/// The current project, if the store has it. If the project has moved here, updates its location in the store. Commands
/// call this function first, so that queries never write.
pub fn follow_move(store: &mut Store, ctx: &Context) -> Result<Option<ProjectId>, AppError> {
    let found = match locate(store, ctx)? {
        Some(Located::Here(project)) => Some(project),
        Some(Located::Moved { project, kept }) => {
            let moved = relocate(store, ctx, &project, kept)?;
            if let Some(project) = moved.as_ref().filter(|_| !kept) {
                write_id(store, ctx, &project.id)?;
            }
            moved
        }
        None => None,
    };
    let _ = ctx
        .project_name
        .set(found.as_ref().and_then(|project| project.name.clone()));
    Ok(found.map(|project| project.id))
}

/// The new path of a project's folder, if the project has moved here and the store still has its former location.
pub(crate) fn moved_directory(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    folder: &str,
) -> Result<Option<String>, AppError> {
    Ok(match locate(store, ctx)? {
        Some(Located::Moved { project: moved, .. }) if moved.id == *project => {
            new_folder(&moved, &ctx.project, folder)
        }
        _ => None,
    })
}

/// The current project, created if it is new.
pub(crate) fn ensure_project(store: &mut Store, ctx: &Context) -> Result<ProjectId, AppError> {
    if let Some(project) = follow_move(store, ctx)? {
        return Ok(project);
    }
    let mut key = ProjectKey::from_random(ctx.random()?);
    // If this store does not know the id in the folder, the id may come from another store. Reuse it, so that both
    // stores agree.
    if let Some(kept) = identity::read_id(ctx)
        && store.project_by_id(&ProjectId(kept.to_string()))?.is_none()
    {
        key = kept;
    }
    Ok(store.project(&ctx.project, key.as_str(), ctx.now())?)
}

/// The current project, created if it is new. Writes the project's id to its folder, so that Bugle finds the project
/// after the folder has moved.
pub(crate) fn ensure_marked_project(store: &mut Store, ctx: &Context) -> Result<ProjectId, AppError> {
    let project = ensure_project(store, ctx)?;
    write_id(store, ctx, &project)?;
    Ok(project)
}

fn write_id(store: &mut Store, ctx: &Context, project: &ProjectId) -> Result<(), AppError> {
    if let Some(key) = ProjectKey::parse(&project.0)
        && identity::write_id(ctx, &key)
    {
        store.note_kept(project, &ctx.project)?;
    }
    Ok(())
}

/// The current project's name in addresses.
pub(crate) fn current_project_name(store: &mut Store, ctx: &Context) -> Result<String, AppError> {
    project(store, ctx)?;
    Ok(addresses::own_name(ctx))
}

/// The current project, which may have moved here.
fn locate(store: &mut Store, ctx: &Context) -> Result<Option<Located>, AppError> {
    if let Some(known) = store.known_project(&ctx.project)? {
        return Ok(Some(Located::Here(known)));
    }
    let former = match identity::read_id(ctx) {
        Some(key) => store.project_by_id(&ProjectId(key.to_string()))?,
        None => None,
    };
    let same_folder = match &former {
        Some(_) => None,
        None => store
            .known_project(&identity::other_place(ctx))?
            .filter(|project| !identity::is_other_project(ctx, project)),
    };
    let seen = former.as_ref().map(identity::former_place);
    Ok(
        match (identify(seen, same_folder.is_some()), former, same_folder) {
            (Identity::Moved, Some(project), _) => Some(Located::Moved { project, kept: true }),
            (Identity::SameFolder, _, Some(project)) => Some(Located::Moved { project, kept: false }),
            // Another process may just have recorded the move.
            _ => store.known_project(&ctx.project)?.map(Located::Here),
        },
    )
}

/// The name that a project keeps at a location; `None` if it is the name of the folder.
fn name_at(project: &ProjectRow, place: &str) -> Option<String> {
    let name = addresses::name_of_project(project);
    (name != addresses::project_name(place)).then_some(name)
}

/// Moves a project to the current location, with the folders of its runs and agents. Another process may have recorded
/// the move first.
fn relocate(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectRow,
    kept: bool,
) -> Result<Option<ProjectRow>, AppError> {
    let folders = new_folders(store, project, &ctx.project)?;
    let name = name_at(project, &ctx.project);
    store.move_project(&Relocation {
        project,
        place: &ctx.project,
        name: name.as_deref(),
        kept,
        folders: &folders,
    })?;
    Ok(store.known_project(&ctx.project)?)
}

/// The old and new folders of a project's runs and agents, if the project moves to `place`.
fn new_folders(
    store: &mut Store,
    project: &ProjectRow,
    place: &str,
) -> Result<Vec<(String, String)>, AppError> {
    let folders = store.folders_of(&project.id)?.into_iter();
    let moved = folders.filter_map(|folder| {
        let new = new_folder(project, place, &folder)?;
        Some((folder, new))
    });
    Ok(moved.collect())
}

/// The new path of a folder if its project moves to `place`: the folder is inside the project's folder, or was moved
/// along next to it. `None` if the folder did not move.
fn new_folder(project: &ProjectRow, place: &str, folder: &str) -> Option<String> {
    let from = project_folder(&project.place).to_string_lossy();
    let to = project_folder(place).to_string_lossy();
    let beside = moved_part(&project.place, place);
    let new = moved_folder(folder, &from, &to).or_else(|| {
        let has_moved = |new: &String| Path::new(new).is_dir() && !Path::new(folder).is_dir();
        moved_folder(folder, beside.0, beside.1).filter(has_moved)
    });
    new.filter(|new| new != folder)
}
