//! Selects a woken agent's run: the agent's own, else a run that the agent may claim. The agent then owns the run.

use bugle_core::engine::RunStatus;
use bugle_core::id::SessionId;
use bugle_core::ownership::{Claim, Ownership};
use bugle_core::reply::{HeldRun, RunOwner};
use bugle_store::{ProjectId, RunFilter, RunRow, Scope, Store};

use super::WakeRequest;
use super::lost_work::{LostWork, MAX_RUNS};
use crate::ownership::Holder;
use crate::runs::ClaimResult;
use crate::{AppError, Context, runs};

/// A woken agent's run, and the other open runs.
#[derive(Default)]
pub(super) struct RunSelection {
    /// The run.
    pub run: Option<RunRow>,
    /// A sentence about the run's owner.
    pub owner: Option<RunOwner>,
    /// Another session's latest run, if the woken agent has no run.
    pub held: Option<HeldRun>,
    /// The number of other open runs.
    pub others: u32,
}

/// A project's open runs.
fn open_runs(store: &mut Store, project: Option<&ProjectId>) -> Result<Vec<RunRow>, AppError> {
    let Some(project) = project else {
        return Ok(Vec::new());
    };
    Ok(store.runs(&RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: true,
        limit: MAX_RUNS,
    })?)
}

/// Selects a lost agent's run for its replacement.
pub(super) fn select_run_of(
    store: &mut Store,
    ctx: &Context,
    lost: &LostWork,
    request: &WakeRequest,
) -> Result<RunSelection, AppError> {
    if request.agent.is_none() && !request.dry_run {
        for run in &lost.runs {
            runs::claim_run(store, ctx, run, Claim::TakeOver)?;
        }
    }
    Ok(RunSelection {
        run: lost.runs.first().cloned(),
        others: lost.other_runs,
        ..RunSelection::default()
    })
}

/// Selects the run of this agent's session. A session without a run claims the latest run that it may claim. An agent
/// named in the request claims no run.
pub(super) fn select_run(
    store: &mut Store,
    ctx: &Context,
    project: Option<&ProjectId>,
    named: Option<SessionId>,
    request: &WakeRequest,
) -> Result<RunSelection, AppError> {
    let is_named = named.is_some();
    if let Some(session) = named.or_else(|| ctx.session.clone()) {
        let filter = RunFilter {
            scope: Scope::Session(session),
            open_only: true,
            limit: 1,
        };
        if let Some(own) = store.runs(&filter)?.into_iter().next() {
            let others = match project {
                Some(project) => {
                    let most = MAX_RUNS - u32::from(own.project == *project);
                    store.count_other_open_runs(project, &own.id, most)?
                }
                None => 0,
            };
            return Ok(RunSelection {
                run: Some(own),
                others,
                ..RunSelection::default()
            });
        }
    }
    let rows = open_runs(store, project)?;
    let mut selection = if is_named {
        RunSelection::default()
    } else if ctx.session.is_none() {
        latest_run(store, ctx, &rows)?
    } else {
        claim_open_run(store, ctx, &rows, request)?
    };
    let shown = selection.run.iter().map(|run| run.id.as_str());
    let shown: Vec<&str> = shown
        .chain(selection.held.iter().map(|held| held.run.as_str()))
        .collect();
    let others = rows.iter().filter(|row| !shown.contains(&row.id.as_str()));
    selection.others = u32::try_from(others.count()).unwrap_or(u32::MAX);
    Ok(selection)
}

/// Selects the latest run, for a caller outside any session.
fn latest_run(store: &mut Store, ctx: &Context, rows: &[RunRow]) -> Result<RunSelection, AppError> {
    let Some(row) = rows.first() else {
        return Ok(RunSelection::default());
    };
    let holder = runs::holder_of(store, ctx, row)?;
    Ok(RunSelection {
        run: Some(row.clone()),
        owner: holder.map(|holder| owner(&holder, None)),
        ..RunSelection::default()
    })
}

/// Claims a run for a session without a run. If no run can be claimed, returns the latest run of another session.
fn claim_open_run(
    store: &mut Store,
    ctx: &Context,
    rows: &[RunRow],
    request: &WakeRequest,
) -> Result<RunSelection, AppError> {
    let claim = Claim::WakeUp(request.reason);
    let root = ctx.root.to_string_lossy().into_owned();
    let mut held = None;
    for row in rows.iter().filter(|row| row.status != RunStatus::Paused) {
        let Some(mut holder) = runs::holder_of(store, ctx, row)? else {
            continue;
        };
        if is_claimable(ctx, row, &holder, claim, &root) {
            if request.dry_run {
                return Ok(handed_over(ctx, row, &holder));
            }
            match runs::claim_run_from(store, ctx, row, holder.clone(), claim)? {
                ClaimResult::Taken(from) => return Ok(handed_over(ctx, row, &from)),
                ClaimResult::Kept(other) => holder = other,
                ClaimResult::Unchanged => {}
            }
        }
        held.get_or_insert_with(|| runs::held_run(ctx, row, &holder));
    }
    Ok(RunSelection {
        held,
        ..RunSelection::default()
    })
}

/// Whether the session that wakes up in this folder may claim a run. The session may not claim a run from another
/// worktree. If the session's agent was started for a task, it may not claim another agent's run.
fn is_claimable(ctx: &Context, row: &RunRow, holder: &Holder, claim: Claim, root: &str) -> bool {
    let has_own_task = ctx.agent.is_some() && holder.ownership != Ownership::Unowned;
    holder.ownership.grants(claim) && row.directory == root && !has_own_task
}

fn handed_over(ctx: &Context, row: &RunRow, from: &Holder) -> RunSelection {
    let pause = ctx.command(&["run", "pause", row.id.as_str()]);
    RunSelection {
        run: Some(row.clone()),
        owner: Some(owner(from, Some(pause))),
        ..RunSelection::default()
    }
}

fn owner(holder: &Holder, handed_over: Option<String>) -> RunOwner {
    RunOwner {
        ownership: holder.ownership,
        name: holder.name.clone(),
        handed_over,
    }
}
