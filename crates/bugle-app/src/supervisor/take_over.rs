//! Moves an agent to this machine from a machine whose supervisor has stopped reporting.

use std::path::Path;
use std::process::Stdio;

use bugle_core::agent::Delivery;
use bugle_core::reply::AgentHost;
use bugle_store::{AgentRow, Store};

use super::agent_worktree::{self, BranchStart};
use super::log_file::log_path;
use crate::{AppError, Context, git, projects};

/// Moves an agent from another machine to a folder on this machine that has the agent's branch. The caller then
/// restarts the agent. Refuses if the other machine's supervisor still reports, or if this machine does not have the
/// branch.
pub(super) fn take_over(
    store: &mut Store,
    ctx: &Context,
    mut row: AgentRow,
    host: &AgentHost,
) -> Result<AgentRow, AppError> {
    let refused = |why: String, hint: String| AppError::Forbidden {
        what: format!("cannot recover @{} here: {why}", row.address),
        hints: vec![hint],
    };
    if !host.is_gone() {
        return Err(refused(
            format!("the agent's host {} is running", host.name),
            format!("Run the command on {}, or send the agent a message.", host.name),
        ));
    }
    let Some(folder) = projects::folder_here(store, ctx, &row.project)? else {
        return Err(refused(
            "this machine has no clone of the agent's project".to_owned(),
            "Run the command in a clone of the project.".to_owned(),
        ));
    };
    let there = ctx.moved_to(Path::new(&folder));
    let branch = branch_of(&row);
    row.directory = if there.branch().as_deref() == Some(branch.as_str()) {
        folder
    } else {
        let Some(start) = find_branch(&there, &branch) else {
            return Err(refused(
                format!("the agent's branch {branch} is not in {folder}"),
                format!("If the branch was pushed, fetch it: git -C {folder} fetch origin"),
            ));
        };
        agent_worktree::check_out(&there, row.address.name(), &branch, start)?
    };
    let from = row.machine.clone();
    row.process = None;
    row.log = Some(
        log_path(ctx, &row.project, &row.address)
            .to_string_lossy()
            .into_owned(),
    );
    let is_here = store.transaction(|tx| {
        let is_here = tx.take_over_agent(&row, &from)?;
        if is_here {
            end_delivery(tx, ctx, &row)?;
        }
        Ok::<_, AppError>(is_here)
    })?;
    if !is_here {
        return Err(refused(
            "another machine recovered the agent first".to_owned(),
            "Nothing was changed.".to_owned(),
        ));
    }
    row.machine = store.machine().clone();
    Ok(row)
}

/// Ends the delivery of the agent's last prompt. Messages that may not have arrived become unread again.
fn end_delivery(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<(), AppError> {
    let Some(mut delivery) = store.delivery(&row.project, &row.address)? else {
        return Ok(());
    };
    if matches!(delivery.state, Delivery::Taken | Delivery::Carried)
        && let Some(mail) = delivery.mail
    {
        store.mark_unread(&row.project, &row.address, mail)?;
        delivery.mail = None;
    }
    delivery.state = Delivery::Settled;
    delivery.changed_at = ctx.now();
    store.keep_delivery(&delivery)?;
    Ok(())
}

/// The branch on which an agent works. An agent with its own worktree has a branch with the same name as the
/// worktree.
fn branch_of(row: &AgentRow) -> String {
    let folder = Path::new(&row.directory);
    let parent = folder.parent().and_then(Path::file_name);
    match folder.file_name() {
        Some(name) if parent.is_some_and(|parent| parent == "worktrees") => {
            format!("agent/{}", name.to_string_lossy())
        }
        _ => row.address.branch().to_owned(),
    }
}

fn find_branch(ctx: &Context, branch: &str) -> Option<BranchStart> {
    let has = |reference: String| {
        git::command(&ctx.root)
            .args(["rev-parse", "--verify", "--quiet", &reference])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if has(format!("refs/heads/{branch}")) {
        Some(BranchStart::Local)
    } else {
        has(format!("refs/remotes/origin/{branch}")).then_some(BranchStart::Fetched)
    }
}
