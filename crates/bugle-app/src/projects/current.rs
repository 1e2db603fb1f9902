//! The current folder's project, and its location in the store.

use std::path::Path;

use bugle_core::project::{Identity, ProjectKey, identify, moved_folder, moved_part};
use bugle_core::reply::RemoteConflict;
use bugle_store::{NewProject, ProjectId, ProjectRow, Relocation, Store, StoreError};

use super::shared_identity;
use crate::context::project_folder;
use crate::identity::SharedId;
use crate::machine::host_name;
use crate::settings::project_setting;
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
    /// Another clone of a known project. The store does not have this location yet.
    Clone(ProjectRow),
}

/// The current project, if the store has it. Only reads: a project that has moved here keeps its former location in
/// the store until [`follow_move`].
pub(crate) fn project(store: &mut Store, ctx: &Context) -> Result<Option<ProjectId>, AppError> {
    let (id, name) = match locate(store, ctx)? {
        Some(Located::Here(project)) => (Some(project.id), project.name),
        Some(Located::Moved { project, .. }) => {
            let name = name_at(ctx, &project, &ctx.project);
            (Some(project.id), name)
        }
        Some(Located::Clone(project)) => {
            let name = addresses::name_of_project(&project);
            (Some(project.id), Some(name))
        }
        None => (None, None),
    };
    // Store only the first name, because a project's name does not change while a command runs. A new project has no
    // name yet.
    if id.is_some() {
        let _ = ctx.project_name.set(name);
    }
    Ok(id)
}

/// The current project, if the store has it. If the project has moved here, updates its location in the store.
/// Commands call this function first, so that queries never write.
pub fn follow_move(store: &mut Store, ctx: &Context) -> Result<Option<ProjectId>, AppError> {
    Ok(followed(store, ctx)?.map(|project| project.id))
}

/// Like [`follow_move`]. Also records the project's remote and name in a shared store, and reports a remote that another
/// project has. Hooks do not call this: recording can wait for the next command.
pub fn follow_move_and_share(
    store: &mut Store,
    ctx: &Context,
    report: &mut dyn FnMut(&RemoteConflict),
) -> Result<Option<ProjectId>, AppError> {
    let found = followed(store, ctx)?;
    if let Some(project) = found.as_ref().filter(|_| ctx.store.is_shared()) {
        let recorded = shared_identity::record(store, ctx, project);
        match recorded.and_then(|conflict| Ok((conflict, store.flush()?))) {
            Ok((conflict, ())) => conflict.iter().for_each(report),
            // The command succeeds even if recording fails: a viewer may not write, and the remote may belong to a
            // project that this person cannot see.
            Err(AppError::Store(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found.map(|project| project.id))
}

/// The current project. If it has moved here or this folder is a new clone, records this location.
fn followed(store: &mut Store, ctx: &Context) -> Result<Option<ProjectRow>, AppError> {
    let found = match locate(store, ctx)? {
        Some(Located::Here(project)) => Some(project),
        Some(Located::Moved { project, kept }) => {
            let moved = relocate(store, ctx, &project, kept)?;
            if let Some(project) = moved.as_ref().filter(|_| !kept) {
                write_id(store, ctx, &project.id)?;
            }
            moved
        }
        Some(Located::Clone(project)) => {
            // Flush here: at a later flush, a missing right would be an error.
            let added = add_clone(store, ctx, &project, false);
            match added.and_then(|()| Ok(store.flush()?)) {
                // A viewer may not record the clone. Each of the viewer's commands then looks up the project again.
                Ok(()) | Err(AppError::Store(StoreError::NoRights { .. })) => {}
                Err(error) => return Err(error),
            }
            Some(project)
        }
        None => None,
    };
    if let Some(project) = &found {
        let _ = ctx.project_name.set(project.name.clone());
    }
    Ok(found)
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

/// A project's folder on this machine: the current one, or else its first clone. `None` if this machine has no clone.
pub(crate) fn folder_here(
    store: &mut Store,
    ctx: &Context,
    wanted: &ProjectId,
) -> Result<Option<String>, AppError> {
    if project(store, ctx)?.as_ref() == Some(wanted) {
        return Ok(Some(ctx.root.to_string_lossy().into_owned()));
    }
    let places = store.places_of(wanted)?;
    Ok(places
        .first()
        .map(|at| project_folder(&at.place).to_string_lossy().into_owned()))
}

/// The current project, created if it is new.
pub(crate) fn ensure_project(store: &mut Store, ctx: &Context) -> Result<ProjectId, AppError> {
    if let Some(project) = followed(store, ctx)? {
        return Ok(project.id);
    }
    let mut key = ProjectKey::from_random(ctx.random()?);
    let set = project_setting(ctx)?;
    // If this store does not know the id in the folder, the id may come from another store. Reuse it, so that both
    // stores agree.
    if let Some(kept) = set.or_else(|| identity::read_id(ctx))
        && store.project_by_id(&ProjectId(kept.to_string()))?.is_none()
    {
        key = kept;
    }
    let remote = identity::remote(ctx);
    // In a shared store, the project keeps its name in folders with other names.
    let name = ctx.store.is_shared().then(|| shared_name(ctx, remote.as_deref()));
    introduce_machine(store, ctx)?;
    let project = store.create_project(&NewProject {
        id: key.as_str(),
        shared_id: remote.as_deref().unwrap_or(key.as_str()),
        name: name.as_deref(),
        place: &ctx.project,
        now: ctx.now(),
    })?;
    let _ = ctx.project_name.set(name);
    Ok(project)
}

/// A new project's name in a shared store: the last part of its remote, or the folder's name.
fn shared_name(ctx: &Context, remote: Option<&str>) -> String {
    let last = remote.and_then(|remote| remote.rsplit('/').next());
    last.map_or_else(|| addresses::project_name(&ctx.project), str::to_owned)
}

fn introduce_machine(store: &mut Store, ctx: &Context) -> Result<(), AppError> {
    if ctx.store.is_shared() {
        store.introduce_machine(&host_name())?;
    }
    Ok(())
}

/// Records that this folder is a clone of a project.
pub(super) fn add_clone(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectRow,
    kept: bool,
) -> Result<(), AppError> {
    introduce_machine(store, ctx)?;
    Ok(store.add_place(&project.id, &ctx.project, kept)?)
}

/// The current project, created if it is new. Writes the project's id to its folder, so that Bugle finds the project
/// after the folder has moved.
pub(crate) fn ensure_marked_project(store: &mut Store, ctx: &Context) -> Result<ProjectId, AppError> {
    let project = ensure_project(store, ctx)?;
    write_id(store, ctx, &project)?;
    Ok(project)
}

pub(super) fn write_id(store: &mut Store, ctx: &Context, project: &ProjectId) -> Result<(), AppError> {
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

/// Finds the current project, which may have moved here.
fn locate(store: &mut Store, ctx: &Context) -> Result<Option<Located>, AppError> {
    if let Some(known) = store.known_project(&ctx.project)? {
        return Ok(Some(Located::Here(known)));
    }
    let kept = match identity::read_id(ctx) {
        Some(key) => store.project_by_id(&ProjectId(key.to_string()))?,
        None => None,
    };
    let former = match &kept {
        Some(project) => former_place_of(store, project)?,
        None => None,
    };
    let same_folder = match &kept {
        Some(_) => None,
        None => store
            .known_project(&identity::other_place(ctx))?
            .filter(|project| !identity::is_other_project(ctx, project)),
    };
    let seen = former.as_ref().map(identity::former_place);
    match (identify(seen, same_folder.is_some()), former, same_folder) {
        (Identity::Moved, Some(project), _) => return Ok(Some(Located::Moved { project, kept: true })),
        (Identity::SameFolder, _, Some(project)) => {
            return Ok(Some(Located::Moved { project, kept: false }));
        }
        _ => {}
    }
    if let Some(project) = shared_project(store, ctx)? {
        let left = former_place_of(store, &project)?;
        return Ok(Some(match left {
            Some(at) if !identity::former_place(&at).has_project() => Located::Moved {
                project: at,
                kept: false,
            },
            _ => Located::Clone(project),
        }));
    }
    // A copy on the same machine is a separate project, unless its settings or its remote say otherwise.
    if let Some(project) = kept.filter(|project| !project.is_here()) {
        return Ok(Some(Located::Clone(project)));
    }
    // Another process may just have recorded the move.
    Ok(store.known_project(&ctx.project)?.map(Located::Here))
}

/// The project that this folder is a clone of, according to its settings or its remote.
pub(super) fn shared_project(store: &mut Store, ctx: &Context) -> Result<Option<ProjectRow>, AppError> {
    Ok(match identity::shared_id(ctx)? {
        Some(SharedId::Settings(key)) => store.project_by_id(&ProjectId(key.to_string()))?,
        Some(SharedId::Remote(remote)) => store.project_by_shared_id(&remote)?,
        None => None,
    })
}

/// The project's former location on this machine, or else its first location.
fn former_place_of(store: &mut Store, project: &ProjectRow) -> Result<Option<ProjectRow>, AppError> {
    let places = store.places_of(&project.id)?;
    let left = places.iter().find(|at| !identity::former_place(at).has_project());
    Ok(left.or(places.first()).cloned())
}

/// The name that a project keeps at a location; `None` if it is the name of the folder.
fn name_at(ctx: &Context, project: &ProjectRow, place: &str) -> Option<String> {
    let name = addresses::name_of_project(project);
    (ctx.store.is_shared() || name != addresses::project_name(place)).then_some(name)
}

/// Moves a project to the current location, with the folders of its runs and agents. Another process may have recorded
/// the move first.
pub(super) fn relocate(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectRow,
    kept: bool,
) -> Result<Option<ProjectRow>, AppError> {
    let folders = new_folders(store, project, &ctx.project)?;
    let name = name_at(ctx, project, &ctx.project);
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
pub(super) fn new_folders(
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

/// The new path of a folder when its project moves to `place`; `None` if the folder does not move. A folder moves if it
/// is inside the project's folder, or if it was moved together with the project.
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
