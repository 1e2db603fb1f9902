//! A task's holder, as shown to the reader (an agent or a person), and the tasks that the reader may start.

use bugle_core::name::AgentName;
use bugle_core::ownership::{Claim, Ownership};
use bugle_core::reply::{TaskHolder, TaskNotice};
use bugle_core::task::{TaskCommand, TaskStatus};
use bugle_store::{ProjectId, Store, TaskRow};

use crate::ownership::{Holder, Worker, task_holder, worker, worker_named};
use crate::{AppError, Context};

/// A task's owner, relative to the reader.
pub(super) enum TaskOwner {
    /// The task is unassigned.
    Unassigned,
    /// The reader holds the task.
    Own,
    /// Another agent or person holds the task.
    Other {
        /// The holder.
        holder: Holder,
        /// Whether the reader is an agent. A person, unlike an agent, may start a task that is assigned to another
        /// agent.
        by_agent: bool,
    },
}

impl TaskOwner {
    /// The owner, as shown to the reader.
    pub(super) fn holder(&self) -> Option<TaskHolder> {
        match self {
            Self::Unassigned => None,
            Self::Own => Some(TaskHolder::You),
            Self::Other { holder, .. } => Some(TaskHolder::Other(holder.name.clone())),
        }
    }

    /// Whether the task is assigned to another agent that may still start it.
    pub(super) fn is_reserved_for_other(&self) -> bool {
        matches!(self, Self::Other { holder, by_agent: true } if holder.ownership == Ownership::MaybeActive)
    }
}

/// The named worker, or the caller if `named` is `None`.
pub(super) fn worker_for(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    named: Option<&AgentName>,
) -> Result<Option<Worker>, AppError> {
    match named {
        Some(name) => worker_named(store, ctx, project, name).map(Some),
        None => worker(store, ctx),
    }
}

/// Whether this worker holds a task.
pub(super) fn is_held_by(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    worker: &Worker,
) -> Result<bool, AppError> {
    match &row.task.agent {
        Some(holder) => worker.has(store, ctx, &row.project, holder),
        None => Ok(false),
    }
}

/// The first of this worker's tasks in `rows` without open children.
pub(super) fn own_leaf(
    store: &mut Store,
    ctx: &Context,
    rows: &[TaskRow],
    worker: Option<&Worker>,
) -> Result<Option<TaskRow>, AppError> {
    let Some(worker) = worker else { return Ok(None) };
    for row in rows.iter().filter(|row| row.open_children == 0) {
        if is_held_by(store, ctx, row, worker)? {
            return Ok(Some(row.clone()));
        }
    }
    Ok(None)
}

/// The name of a task's holder, or `None` if the reader holds the task.
pub(crate) fn other_holder_name(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    holder: &AgentName,
    reader: Option<&Worker>,
) -> Result<Option<String>, AppError> {
    if let Some(reader) = reader
        && reader.has(store, ctx, project, holder)?
    {
        return Ok(None);
    }
    task_holder(store, ctx, project, holder, reader).map(|holder| Some(holder.name))
}

/// A notice for the reader if another agent or person holds the current task.
pub(super) fn holder_notice(ctx: &Context, row: &TaskRow, owner: &TaskOwner) -> Option<TaskNotice> {
    let TaskOwner::Other { holder, by_agent } = owner else {
        return None;
    };
    let id = row.task.id.as_str();
    let ready = ctx.command(&["task", "ready"]);
    let name = holder.name.clone();
    match (row.task.status, holder.ownership) {
        (TaskStatus::Active, Ownership::Ended) => Some(TaskNotice::HolderGone {
            holder: name,
            take_over: ctx.command(&["task", "start", id]),
        }),
        (TaskStatus::Active, _) => Some(TaskNotice::HeldByOther {
            holder: name,
            ready,
            take_over: ctx.command(&["task", "start", id, "--take-over"]),
        }),
        (TaskStatus::Pending, Ownership::MaybeActive) if *by_agent => {
            Some(TaskNotice::AssignedToOther { holder: name, ready })
        }
        _ => None,
    }
}

/// Finds a task's owner, relative to the reader.
pub(super) fn task_owner(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    reader: Option<&Worker>,
) -> Result<TaskOwner, AppError> {
    let Some(name) = &row.task.agent else {
        return Ok(TaskOwner::Unassigned);
    };
    if let Some(reader) = reader
        && reader.has(store, ctx, &row.project, name)?
    {
        return Ok(TaskOwner::Own);
    }
    Ok(TaskOwner::Other {
        holder: task_holder(store, ctx, &row.project, name, reader)?,
        by_agent: reader.is_some_and(|reader| reader.is_agent),
    })
}

/// The first of these tasks that is unassigned or assigned to this worker.
pub(super) fn first_startable_by(
    store: &mut Store,
    ctx: &Context,
    rows: Vec<TaskRow>,
    worker: Option<&Worker>,
) -> Result<Option<TaskRow>, AppError> {
    for row in rows {
        if is_startable_by(store, ctx, &row, worker)? {
            return Ok(Some(row));
        }
    }
    Ok(None)
}

/// Whether a task is unassigned or assigned to this worker.
pub(super) fn is_startable_by(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    worker: Option<&Worker>,
) -> Result<bool, AppError> {
    match (&row.task.agent, worker) {
        (None, _) => Ok(true),
        (Some(holder), Some(worker)) => worker.has(store, ctx, &row.project, holder),
        (Some(_), None) => Ok(false),
    }
}

/// Completes a `Start` command. If the command names no agent, the caller starts the task. A task that the starting
/// agent already holds keeps its holder's name. A task whose holder's session has ended is taken over.
pub(super) fn resolve_start(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    command: &TaskCommand,
) -> Result<TaskCommand, AppError> {
    let TaskCommand::Start {
        agent,
        run,
        take_over,
    } = command
    else {
        return Ok(command.clone());
    };
    let starter = match agent {
        Some(name) => Some(worker_named(store, ctx, &row.project, name)?),
        None => worker(store, ctx)?,
    };
    let mut take_over = *take_over;
    let mut name = starter.as_ref().map(|starter| starter.name.clone());
    match task_owner(store, ctx, row, starter.as_ref())? {
        TaskOwner::Unassigned => {}
        TaskOwner::Own => name.clone_from(&row.task.agent),
        TaskOwner::Other { holder, .. } => take_over |= holder.ownership.grants(Claim::Continue),
    }
    Ok(TaskCommand::Start {
        agent: name,
        run: run.clone(),
        take_over,
    })
}
