//! Makes this folder a clone of a project, on request.

use bugle_core::reply::{FormerProject, JoinedFolder, ProjectChange};
use bugle_core::rights::Action;
use bugle_store::{ProjectRow, Store};

use super::current::{add_clone, shared_project, write_id};
use super::list;
use crate::context::project_folder;
use crate::{AppError, Context, addresses, identity, permissions};

/// Makes this folder a clone of the named project, or of the project with the same remote or id in its settings.
pub fn join_project(
    store: &mut Store,
    ctx: &Context,
    wanted: Option<&str>,
) -> Result<ProjectChange, AppError> {
    let arguments: Vec<&str> = ["project", "join"].into_iter().chain(wanted).collect();
    permissions::permit(store, ctx, Action::ChangeProject, &arguments)?;
    let before = store.known_project(&ctx.project)?;
    let target = match wanted {
        Some(wanted) => list::resolve_project(store, ctx, wanted)?,
        None => match shared_project(store, ctx)? {
            Some(project) => project,
            None => return share(store, ctx, before.as_ref()),
        },
    };
    let joined = JoinedFolder {
        folder: project_folder(&ctx.project).display().to_string(),
        project: target.id.0.clone(),
        name: addresses::name_of_project(&target),
    };
    if before.as_ref().is_some_and(|before| before.id == target.id) {
        return Ok(ProjectChange::AlreadyJoined(joined));
    }
    add_clone(store, ctx, &target, false)?;
    write_id(store, ctx, &target.id)?;
    let before = before.map(|before| FormerProject {
        merge: ctx.command(&["project", "merge", &before.id.0, &target.id.0]),
        id: before.id.0,
    });
    Ok(ProjectChange::Joined { joined, before })
}

/// Records the remote of this folder's project, so that its clones on other machines find the project.
fn share(store: &mut Store, ctx: &Context, here: Option<&ProjectRow>) -> Result<ProjectChange, AppError> {
    if let (Some(project), Some(remote)) = (here, identity::remote(ctx))
        && store.share_project(&project.id, &remote)?
    {
        return Ok(ProjectChange::Shared {
            remote,
            project: project.id.0.clone(),
        });
    }
    let list = ctx.command(&["project", "list"]);
    Err(AppError::NotFound {
        what: "no project in the store matches this folder's remote or the id in its .bugle/config.yaml"
            .to_owned(),
        hints: vec![format!(
            "Give the project's id or name. `{list}` lists the projects."
        )],
    })
}
