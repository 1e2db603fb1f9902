//! Records a project's remote and name in a store that several machines share. A project that was created in a file
//! store has neither.

use bugle_core::reply::RemoteConflict;
use bugle_store::{ProjectRow, Store};

use crate::{AppError, Context, addresses, identity};

/// Records the remote and the name of a project with a folder on this machine. Returns a conflict if another project
/// has the remote.
pub(super) fn record(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectRow,
) -> Result<Option<RemoteConflict>, AppError> {
    if project.shared_id != project.id.0 || !project.is_here() {
        return Ok(None);
    }
    let name = addresses::name_of_project(project);
    if project.name.is_none() {
        store.name_project(&project.id, &name)?;
    }
    let Some(remote) = identity::remote_at(&project.place) else {
        return Ok(None);
    };
    if store.share_project(&project.id, &remote)? {
        return Ok(None);
    }
    let other = store.project_by_shared_id(&remote)?;
    Ok(other
        .filter(|other| other.id != project.id)
        .map(|other| RemoteConflict {
            join: ctx.command(&["project", "join", &other.id.0]),
            merge: ctx.command(&["project", "merge", &project.id.0, &other.id.0]),
            other: other.id.0,
            project: project.id.0.clone(),
            name,
            remote,
        }))
}

/// Records the remotes and names of all projects with a folder on this machine. If several projects have the same
/// remote, the oldest one gets it.
pub(crate) fn record_all(store: &mut Store, ctx: &Context) -> Result<Vec<RemoteConflict>, AppError> {
    let mut projects = store.projects()?;
    projects.sort_by_key(|project| project.created_at);
    let mut conflicts = Vec::new();
    for project in &projects {
        conflicts.extend(record(store, ctx, project)?);
    }
    store.flush()?;
    Ok(conflicts)
}
