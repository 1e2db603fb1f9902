//! Claims the first startable task, or explains why there is none.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::reply::TaskName;
use bugle_core::task::TaskCommand;
use bugle_store::{LockedTasks, Store, Transaction};

use super::TaskScope;
use super::change::change_as_caller;
use super::ownership::is_startable_by;
use crate::tasks::{ownership, permission, startable_scope};
use crate::{AppError, Context, projects};

/// Maximum number of tasks to scan for a task that the agent may start.
pub(crate) const MAX_CLAIMABLE: u32 = 200;
/// Maximum number of startable tasks elsewhere in the project that an error lists.
const MAX_ELSEWHERE: usize = 3;

/// Starts the first startable task that no other agent is starting. Returns `None` if there is none.
pub fn claim_task(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    agent: Option<&AgentName>,
) -> Result<Option<TaskId>, AppError> {
    let Some(subtree) = startable_scope(store, ctx, scope)? else {
        return Ok(None);
    };
    let worker = ownership::worker_for(store, ctx, &subtree.project, agent)?;
    let plan_runs = permission::plan_runs(store, ctx)?;
    let command = TaskCommand::Start {
        agent: agent.cloned(),
        run: None,
        take_over: false,
    };
    let take = |tx: &mut Transaction<'_>, locked: LockedTasks| -> Result<Claim, AppError> {
        let mut found = Claim::Nothing;
        // The first task is usually free. Scan further only if it is taken.
        for limit in [1, MAX_CLAIMABLE] {
            let ready = tx.ready(&subtree.project, subtree.path.as_ref(), true, limit)?;
            let mut startable = Vec::new();
            for row in ready {
                if is_startable_by(tx, ctx, &row, worker.as_ref())? {
                    startable.push(row.task.id);
                }
            }
            if let Some(id) = tx.lock_ready(&startable, locked)? {
                change_as_caller(tx, ctx, &plan_runs, &id, &command)?;
                return Ok(Claim::Taken(id));
            }
            if !startable.is_empty() {
                found = Claim::Contended;
            }
        }
        Ok(found)
    };
    let mut claim = store.claim_transaction(&subtree.project, |tx| take(tx, LockedTasks::Skip))?;
    if claim == Claim::Contended {
        // Wait for the other claims: if one of them fails, its task can be claimed.
        claim = store.project_transaction(&subtree.project, |tx| take(tx, LockedTasks::Wait))?;
    }
    Ok(match claim {
        Claim::Taken(id) => Some(id),
        Claim::Contended | Claim::Nothing => None,
    })
}

/// The result of an attempt to claim a task.
#[derive(PartialEq, Eq)]
enum Claim {
    Taken(TaskId),
    /// Other agents are claiming all startable tasks.
    Contended,
    Nothing,
}

/// The error for a scope in which `claim_task` found no task.
pub fn nothing_to_claim(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    agent: Option<&AgentName>,
) -> Result<AppError, AppError> {
    let mut hints: Vec<String> = own_tasks(store, ctx, agent)?
        .into_iter()
        .map(|task| format!("You are working on {} ({}).", task.label(), task.id))
        .collect();
    let elsewhere = startable_in_project(store, ctx, scope, agent)?;
    let what = if elsewhere.is_empty() {
        "no task can start now"
    } else {
        "no task can start in the current task tree"
    };
    for task in elsewhere {
        let start = ctx.command(&["task", "start", task.id.as_str()]);
        hints.push(format!(
            "Another task in this project can start: {}. `{start}` starts it.",
            task.label()
        ));
    }
    let list = ctx.command(&["task", "list"]);
    hints.push(format!("`{list}` lists the open tasks and their dependencies."));
    Ok(AppError::NotFound {
        what: what.to_owned(),
        hints,
    })
}

/// A few startable tasks elsewhere in the project, if the caller did not name a scope.
fn startable_in_project(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    agent: Option<&AgentName>,
) -> Result<Vec<TaskName>, AppError> {
    let here = startable_scope(store, ctx, scope)?.filter(|_| *scope == TaskScope::Here);
    let Some(subtree) = here.filter(|subtree| subtree.path.is_some()) else {
        return Ok(Vec::new());
    };
    let worker = ownership::worker_for(store, ctx, &subtree.project, agent)?;
    let mut found = Vec::new();
    for row in store.ready(&subtree.project, None, true, MAX_CLAIMABLE)? {
        if is_startable_by(store, ctx, &row, worker.as_ref())? {
            found.push(TaskName::of(&row.task));
        }
        if found.len() == MAX_ELSEWHERE {
            break;
        }
    }
    Ok(found)
}

/// The active tasks of an agent, or of the caller if `agent` is `None`.
pub fn own_tasks(
    store: &mut Store,
    ctx: &Context,
    agent: Option<&AgentName>,
) -> Result<Vec<TaskName>, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(Vec::new());
    };
    let Some(worker) = ownership::worker_for(store, ctx, &project, agent)? else {
        return Ok(Vec::new());
    };
    let active = store.active(&project, None, MAX_CLAIMABLE)?;
    let mut own = Vec::new();
    for row in &active {
        if ownership::is_held_by(store, ctx, row, &worker)? {
            own.push(TaskName::of(&row.task));
        }
    }
    Ok(own)
}
