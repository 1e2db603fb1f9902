//! Finds the project of a folder, also after the folder has moved.
//!
//! The store finds a project by its place. Only if it knows none there is the id read from the folder's files, so a project
//! that stays in its place needs no file access.

mod change;
mod list;

pub use change::{merge_projects, move_project};
pub use list::list_projects;

use std::path::Path;

use bugle_core::project::{Identity, ProjectKey, identify, moved_folder, moved_part};
use bugle_store::{ProjectId, ProjectRow, Relocation, Store};

use crate::context::project_folder;
use crate::{AppError, Context, addresses, identity};

/// The project of this place, if the store knows one.
pub(crate) fn project(store: &mut Store, ctx: &Context) -> Result<Option<ProjectId>, AppError> {
    let found = match store.known_project(&ctx.project)? {
        Some(known) => Some(known),
        None => find_moved(store, ctx)?,
    };
    // The first value stays: a project's name does not change while a command runs.
    let _ = ctx
        .project_name
        .set(found.as_ref().and_then(|project| project.name.clone()));
    Ok(found.map(|project| project.id))
}

/// The project of this place, created if it is new.
pub(crate) fn ensure_project(store: &mut Store, ctx: &Context) -> Result<ProjectId, AppError> {
    if let Some(project) = project(store, ctx)? {
        return Ok(project);
    }
    let mut key = ProjectKey::from_random(ctx.random()?);
    // An id from the folder that this store does not know may belong to another store, so both use the same one.
    if let Some(kept) = identity::read_id(ctx)
        && store.project_by_id(&ProjectId(kept.to_string()))?.is_none()
    {
        key = kept;
    }
    Ok(store.project(&ctx.project, key.as_str(), ctx.now())?)
}

/// The project of this place, created if it is new, with its id written to its folder, so that it is found again after the
/// folder has moved.
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

/// The name of this place's project in addresses.
pub(crate) fn current_project_name(store: &mut Store, ctx: &Context) -> Result<String, AppError> {
    project(store, ctx)?;
    Ok(addresses::own_name(ctx))
}

/// The project that has moved to this place.
fn find_moved(store: &mut Store, ctx: &Context) -> Result<Option<ProjectRow>, AppError> {
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
    match (identify(seen, same_folder.is_some()), former, same_folder) {
        (Identity::Moved, Some(project), _) => relocate(store, ctx, &project, true),
        (Identity::SameFolder, _, Some(project)) => {
            let moved = relocate(store, ctx, &project, false)?;
            if let Some(project) = &moved {
                write_id(store, ctx, &project.id)?;
            }
            Ok(moved)
        }
        // Another process may have moved it here in the meantime.
        _ => Ok(store.known_project(&ctx.project)?),
    }
}

/// Moves a project to this place, with the folders of its runs and agents. Another process may have moved it first.
fn relocate(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectRow,
    kept: bool,
) -> Result<Option<ProjectRow>, AppError> {
    let folders = new_folders(store, project, &ctx.project)?;
    let name = addresses::name_of_project(project);
    store.move_project(&Relocation {
        project,
        place: &ctx.project,
        name: (name != addresses::project_name(&ctx.project)).then_some(name.as_str()),
        kept,
        folders: &folders,
    })?;
    Ok(store.known_project(&ctx.project)?)
}

/// The old and new folders of a project's runs and agents if the project moves to `place`: those below its folder, and
/// those beside it that moved with it.
fn new_folders(
    store: &mut Store,
    project: &ProjectRow,
    place: &str,
) -> Result<Vec<(String, String)>, AppError> {
    let from = project_folder(&project.place).to_string_lossy();
    let to = project_folder(place).to_string_lossy();
    let beside = moved_part(&project.place, place);
    let mut moved = Vec::new();
    for folder in store.folders_of(&project.id)? {
        let new = moved_folder(&folder, &from, &to).or_else(|| {
            let has_moved = |new: &String| Path::new(new).is_dir() && !Path::new(&folder).is_dir();
            moved_folder(&folder, beside.0, beside.1).filter(has_moved)
        });
        if let Some(new) = new.filter(|new| *new != folder) {
            moved.push((folder, new));
        }
    }
    Ok(moved)
}
