//! Changes tasks: loads a task with its relations, decides, and appends the events in one transaction.

use bugle_core::id::{PlanId, TaskId};
use bugle_core::reply::{SideEffect, TaskChange, TaskName, TaskOutcome, TasksChanged};
use bugle_core::task::{Task, TaskChanges, TaskCommand, TaskEvent, TaskRelations, WaitSource, decide_task};
use bugle_store::{Store, TaskRow};

use super::cycle_check::{CycleCheck, outermost_changed, refuse_cycle};
use super::ownership::resolve_start;
use super::permission::{PlanRun, permitted};
use super::position::PositionContext;
use super::refusal::refused;
use super::scope::load_task;
use super::{reorder_plan, skill, task_view};
use crate::ownership::worker;
use crate::tasks::permission::plan_runs;
use crate::tasks::{position, task_row};
use crate::{AppError, Context, event_record};

/// Maximum number of other changed tasks that a reply lists.
const MAX_NAMED: usize = 10;
/// Maximum number of a task's latest runs to search for open runs.
const MAX_RUNS: u32 = 5;

/// Executes a command on a task.
pub fn change_task(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    command: &TaskCommand,
) -> Result<TasksChanged, AppError> {
    change_task_by(store, ctx, id, std::slice::from_ref(command))
}

/// Executes several commands on a task, all or none.
pub fn change_task_by(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    commands: &[TaskCommand],
) -> Result<TasksChanged, AppError> {
    let row = task_row(store, ctx, id)?;
    let plan_runs = match &row.task.plan {
        Some(_) => plan_runs(store, ctx)?,
        None => Vec::new(),
    };
    let id = row.task.id;
    let (changed, mut also) = store.project_transaction(&row.project, |tx| {
        let mut changed = false;
        let mut also = Vec::new();
        for command in commands {
            let (did, others) = change_as_caller(tx, ctx, &plan_runs, &id, command)?;
            changed |= did;
            also.extend(others);
        }
        Ok::<_, AppError>((changed, also))
    })?;
    if !changed {
        also.push(SideEffect::NothingChanged);
    }
    let row = task_row(store, ctx, &id)?;
    let may_close = commands.iter().any(|command| described(command).is_none());
    if may_close && !row.task.is_open() {
        also.extend(open_runs(store, ctx, &id)?);
    }
    let name = TaskName::of(&row.task);
    let outcome = |command| {
        let name = name.clone();
        described(command).map(|did| TaskOutcome { name, did })
    };
    let outcomes: Option<Vec<TaskOutcome>> = commands.iter().map(outcome).collect();
    match outcomes {
        // These commands change only a task's description, so the position stays the same.
        Some(outcomes) if row.task.removed.is_none() => Ok(TasksChanged {
            outcomes,
            tasks: vec![task_view(&row, position::is_begun(store, &row)?)],
            also,
            next: None,
        }),
        _ => task_changed(store, ctx, &id, also),
    }
}

/// The open runs that were started for a closed task.
fn open_runs(store: &mut Store, ctx: &Context, task: &TaskId) -> Result<Vec<SideEffect>, AppError> {
    let runs = store.runs_of_task(task, MAX_RUNS)?.into_iter();
    let open = runs.filter(|run| run.status.is_open());
    let effects = open.map(|run| SideEffect::RunStillOpen {
        step: ctx.command(&["step", run.id.as_str()]),
        cancel: ctx.command(&["run", "cancel", run.id.as_str()]),
        run: run.id,
        skill: run.skill,
    });
    Ok(effects.collect())
}

/// The change that a command makes to a task's description; `None` for commands that change more than the
/// description.
fn described(command: &TaskCommand) -> Option<TaskChange> {
    match command {
        TaskCommand::Note(_) => Some(TaskChange::Noted),
        TaskCommand::Retitle(_) => Some(TaskChange::Renamed),
        TaskCommand::NameSkill(skill) => Some(TaskChange::Skill(skill.clone())),
        TaskCommand::Assign(agent) => Some(TaskChange::Assigned(agent.clone())),
        TaskCommand::Start { .. }
        | TaskCommand::Done
        | TaskCommand::Skip { .. }
        | TaskCommand::Fail { .. }
        | TaskCommand::Block { .. }
        | TaskCommand::Reopen
        | TaskCommand::Remove => None,
    }
}

pub(super) fn resolve_task_ids(
    store: &mut Store,
    ctx: &Context,
    ids: &[TaskId],
) -> Result<Vec<TaskId>, AppError> {
    ids.iter()
        .map(|id| Ok(task_row(store, ctx, id)?.task.id))
        .collect()
}

pub(super) fn task_changed(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    also: Vec<SideEffect>,
) -> Result<TasksChanged, AppError> {
    changed_views(store, ctx, std::slice::from_ref(id), also)
}

/// Builds the reply to a command: the changed tasks and the new position.
pub(super) fn changed_views(
    store: &mut Store,
    ctx: &Context,
    ids: &[TaskId],
    also: Vec<SideEffect>,
) -> Result<TasksChanged, AppError> {
    let mut tasks = Vec::new();
    let mut outcomes = Vec::new();
    let mut project = None;
    for id in ids {
        let row = task_row(store, ctx, id)?;
        outcomes.push(TaskOutcome {
            name: TaskName::of(&row.task),
            did: match &row.task.removed {
                Some(_) => TaskChange::Removed,
                None => TaskChange::Status(row.task.status),
            },
        });
        tasks.push(task_view(&row, position::is_begun(store, &row)?));
        project = Some(row.project);
    }
    let next = match project {
        Some(project) => {
            let worker = worker(store, ctx)?;
            let known = PositionContext::of(worker.as_ref());
            position::position_of(store, ctx, project, known)?.map(|at| at.view)
        }
        None => None,
    };
    let mut also = also;
    if next.is_none() {
        also.push(SideEffect::AllClosed);
    }
    Ok(TasksChanged {
        outcomes,
        tasks,
        also,
        next,
    })
}

/// Executes a command for a run or an import, inside a transaction and without checking permissions. Returns whether
/// anything changed, and the side effects.
pub(crate) fn execute_command(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<SideEffect>), AppError> {
    change_in_transaction(store, ctx, None, id, command)
}

/// Executes the caller's command inside a transaction. Fails if the caller lacks permission.
pub(super) fn change_as_caller(
    store: &mut Store,
    ctx: &Context,
    plan_runs: &[PlanRun],
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<SideEffect>), AppError> {
    change_in_transaction(store, ctx, Some(plan_runs), id, command)
}

fn change_in_transaction(
    store: &mut Store,
    ctx: &Context,
    caller_runs: Option<&[PlanRun]>,
    id: &TaskId,
    command: &TaskCommand,
) -> Result<(bool, Vec<SideEffect>), AppError> {
    let row = load_task(store, id)?;
    let command = &resolve_start(store, ctx, &row, command)?;
    let above_rows = store.above(&row)?;
    let above = tasks(above_rows.clone());
    let inside = match command {
        TaskCommand::Done | TaskCommand::Skip { .. } | TaskCommand::Reopen | TaskCommand::Remove => {
            tasks(store.subtree(&row.project, &row.path)?.split_off(1))
        }
        _ => Vec::new(),
    };
    let waits = store.waits_for(&row, &above_rows)?.into_iter();
    let (in_order, declared): (Vec<_>, Vec<_>) = waits.partition(|(_, says)| *says == WaitSource::Order);
    let ids = |rows: Vec<(TaskRow, WaitSource)>| -> Vec<TaskId> {
        rows.into_iter().map(|(row, _)| row.task.id).collect()
    };
    let (comes_after, waits_for) = (ids(in_order), ids(declared));
    let relations = TaskRelations {
        above: &above,
        inside: &inside,
        waits_for: &waits_for,
        comes_after: &comes_after,
    };
    let changes = match decide_task(&row.task, relations, command) {
        Ok(changes) => changes,
        Err(refusal) => return Err(refused(store, ctx, &row.task, &refusal)?),
    };
    let actor = match caller_runs {
        Some(plan_runs) => permitted(store, ctx, plan_runs, &changes)?,
        None => ctx.actor.clone(),
    };
    let did = !changes.is_empty();
    let mut also = side_effects(store, &changes, std::slice::from_ref(id))?;
    let outermost = outermost_changed(&row.path, &above_rows, &changes);
    store.change_tasks(&row.project, &event_record::task_events_by(ctx, &actor, changes))?;
    let closes = matches!(
        command,
        TaskCommand::Done | TaskCommand::Skip { .. } | TaskCommand::Remove
    );
    if did && closes {
        if let Some(plan) = plan_of(&row).filter(|_| !comes_after.is_empty()) {
            // If a task closes out of order, later tasks must still wait for the earlier open tasks.
            reorder_plan(store, ctx, &plan)?;
        }
        also.extend(close_phase(store, ctx, &row)?);
    }
    if did && *command == TaskCommand::Reopen {
        // Dependencies added while the task was closed may now form a cycle.
        refuse_cycle(store, ctx, &row.project, CycleCheck::of(outermost))?;
    }
    let moves_focus = !matches!(
        command,
        TaskCommand::Note(_)
            | TaskCommand::Retitle(_)
            | TaskCommand::NameSkill(_)
            | TaskCommand::Assign(_)
            | TaskCommand::Remove
    );
    if moves_focus {
        store.set_focus(&row.project, ctx.session.as_ref(), &row.root)?;
    }
    if did && matches!(command, TaskCommand::Start { .. }) {
        let started = load_task(store, id)?;
        skill::pin_skill_of(store, ctx, &started)?;
    }
    Ok((did, also))
}

/// Closes a task's phase if the phase has no open task, so that the next phase can start. Leaves the plan's root open:
/// the agent closes the root.
fn close_phase(store: &mut Store, ctx: &Context, row: &TaskRow) -> Result<Vec<SideEffect>, AppError> {
    let Some(parent) = &row.task.parent else {
        return Ok(Vec::new());
    };
    let phase = load_task(store, parent)?;
    let outer = match &phase.task.parent {
        Some(outer) => load_task(store, outer)?,
        None => return Ok(Vec::new()),
    };
    let is_phase = phase.task.is_group() && plan_of(&phase) == plan_of(&outer);
    if !is_phase || !phase.task.is_open() || phase.open_children > 0 || phase.blockers > 0 {
        return Ok(Vec::new());
    }
    let mut also = vec![SideEffect::Changed {
        name: TaskName::of(&phase.task),
        event: Box::new(TaskEvent::Finished),
    }];
    also.extend(execute_command(store, ctx, parent, &TaskCommand::Done)?.1);
    Ok(also)
}

pub(super) fn plan_of(row: &TaskRow) -> Option<PlanId> {
    row.task.plan.as_ref().map(|link| link.plan.clone())
}

pub(super) fn tasks(rows: Vec<TaskRow>) -> Vec<Task> {
    rows.into_iter().map(|row| row.task).collect()
}

/// The changes to tasks that the caller did not name.
pub(super) fn side_effects(
    store: &mut Store,
    changes: &TaskChanges,
    named: &[TaskId],
) -> Result<Vec<SideEffect>, AppError> {
    let mut effects = Vec::new();
    let others: Vec<_> = changes
        .iter()
        .filter(|(id, event)| !named.contains(id) && !matches!(event, TaskEvent::Moved { .. }))
        .collect();
    for (id, event) in others.iter().take(MAX_NAMED) {
        effects.push(SideEffect::Changed {
            name: TaskName::of(&load_task(store, id)?.task),
            event: Box::new(event.clone()),
        });
    }
    if others.len() > MAX_NAMED {
        effects.push(SideEffect::More(others.len() - MAX_NAMED));
    }
    Ok(effects)
}
