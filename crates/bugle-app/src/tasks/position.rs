//! The position: the current task, its place among other tasks, and the tasks that can start.

use bugle_core::name::AgentName;
use bugle_core::reply::{
    ActiveTask, ChangedPlan, ClosedTask, NextView, ReadyList, TaskName, TaskNotice, TaskPlace, TaskPosition,
};
use bugle_core::task::{TaskStatus, WaitSource};
use bugle_core::wake::FAILURES_TO_SPLIT;
use bugle_store::{ProjectId, Store, TaskRow};

use super::next_commands::commands;
use super::ownership::{TaskOwner, first_startable_by};
use super::plan_of_task::{ReadPlan, plan_link, plan_name, read_plan_above};
use super::position_reads::{ReadAhead, plan_next, plan_position};
use super::skill::ChosenSkill;
use super::{Subtree, TaskScope, task_view};
use crate::ownership::{Worker, worker};
use crate::plan_files::FileState;
use crate::tasks::{focus, ownership, resolve_scope, skill, startable_scope};
use crate::{AppError, Context, plan_files, projects};

/// Maximum number of other active tasks listed with the position.
const MAX_ACTIVE_NAMED: u32 = 3;
/// Maximum number of active tasks to read first.
pub(crate) const MAX_ACTIVE_READ: u32 = MAX_ACTIVE_NAMED + 1;
/// Maximum number of tasks to scan for a task that the agent holds or may start.
pub(crate) const MAX_SCANNED: u32 = 200;
/// Maximum number of plan files to check for changes when no task is open.
const MAX_PLANS: usize = 10;

/// The current task, with the data loaded to find it.
pub(crate) struct CurrentTask {
    pub view: TaskPosition,
    pub row: TaskRow,
    /// The task's ancestors, nearest first.
    pub above: Vec<TaskRow>,
    /// The open tasks that the task or one of its ancestors waits for.
    pub waits: Vec<(TaskRow, WaitSource)>,
    /// The task's plan.
    pub plan: Option<ReadPlan>,
    /// The task's skill, with all notices about the skill.
    pub skill: ChosenSkill,
}

/// Data that the caller has already read, and the worker whose position is computed.
pub(crate) struct PositionContext<'a> {
    /// The worker whose position to compute.
    pub worker: Option<&'a Worker>,
    /// The current project, if the caller has read it.
    pub here: Option<&'a ProjectId>,
    /// The project's first [`MAX_SCANNED`] active tasks, if the caller has read them.
    pub active: Option<&'a [TaskRow]>,
    /// A plan, if the caller has read one.
    pub plan: Option<ReadPlan>,
    /// Plans further queries about the current task that the caller will make.
    pub read_ahead: ReadAhead,
}

impl<'a> PositionContext<'a> {
    pub(crate) fn of(worker: Option<&'a Worker>) -> Self {
        Self {
            worker,
            here: None,
            active: None,
            plan: None,
            read_ahead: |_, _| Ok(()),
        }
    }
}

/// The position in a scope, or why no task is open.
pub fn next_task(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    agent: Option<&AgentName>,
) -> Result<NextView, AppError> {
    let position = match resolve_scope(store, ctx, scope)? {
        Some(subtree) => {
            let worker = ownership::worker_for(store, ctx, &subtree.project, agent)?;
            let known = PositionContext::of(worker.as_ref());
            position_for(store, ctx, &subtree, *scope == TaskScope::Here, known)?
        }
        None => None,
    };
    if let Some(at) = position {
        return Ok(NextView::Position(Box::new(at.view)));
    }
    if let Some(project) = projects::project(store, ctx)?
        && !store.window(&project, None, true, 1)?.is_empty()
    {
        return Ok(NextView::AllClosed {
            changed_plans: changed_plans(store, ctx, &project)?,
        });
    }
    Ok(NextView::NoTasks {
        import: ctx.command(&["plan", "import", "FILE"]),
        add: ctx.command(&["task", "add", "TITLE"]),
    })
}

/// The plans whose files have changed and may contain new tasks.
fn changed_plans(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
) -> Result<Vec<ChangedPlan>, AppError> {
    let mut changed = Vec::new();
    for plan in store.plans(project)?.into_iter().rev().take(MAX_PLANS) {
        let file = plan_files::file_state(ctx, Some(project), &plan);
        if matches!(file, Some(FileState::Changed(_)))
            && let Some(notice) = plan_files::file_notice(ctx, &plan, file.as_ref())
        {
            changed.push(ChangedPlan {
                file: plan.file,
                notice,
            });
        }
    }
    Ok(changed)
}

/// The tasks that can start or close, in order.
pub fn ready_tasks(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
    limit: u32,
) -> Result<ReadyList, AppError> {
    let Some(subtree) = startable_scope(store, ctx, scope)? else {
        return Ok(ReadyList {
            tasks: Vec::new(),
            more: false,
            elsewhere: false,
        });
    };
    let asked = limit.saturating_add(1);
    let mut rows = store.ready(&subtree.project, subtree.path.as_ref(), false, asked)?;
    let elsewhere = rows.is_empty() && *scope == TaskScope::Here && subtree.path.is_some();
    if elsewhere {
        rows = store.ready(&subtree.project, None, false, asked)?;
    }
    let more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let mut tasks = Vec::new();
    for row in &rows {
        tasks.push(task_view(row, is_begun(store, row)?));
    }
    Ok(ReadyList {
        elsewhere: elsewhere && !tasks.is_empty(),
        tasks,
        more,
    })
}

/// Whether a task below this one has started or ended.
pub(crate) fn is_begun(store: &mut Store, row: &TaskRow) -> Result<bool, AppError> {
    let settled = row.task.status != TaskStatus::Pending || row.children == 0;
    if settled || row.children > row.open_children {
        return Ok(row.children > row.open_children);
    }
    Ok(store.is_begun_inside(&row.project, &row.path)?)
}

/// The task that the caller has claimed and is working on, unless a run took it.
pub(crate) fn claimed_task(store: &mut Store, ctx: &Context) -> Result<Option<TaskRow>, AppError> {
    let (Some(project), Some(worker)) = (projects::project(store, ctx)?, worker(store, ctx)?) else {
        return Ok(None);
    };
    let active = store.active(&project, None, MAX_SCANNED)?;
    let own = ownership::own_leaf(store, ctx, &active, Some(&worker))?;
    Ok(own.filter(|row| row.task.run.is_none()))
}

/// The position in a scope; `None` if the scope has no open task.
pub(crate) fn position(
    store: &mut Store,
    ctx: &Context,
    scope: &TaskScope,
) -> Result<Option<TaskPosition>, AppError> {
    let Some(subtree) = resolve_scope(store, ctx, scope)? else {
        return Ok(None);
    };
    let worker = worker(store, ctx)?;
    let known = PositionContext::of(worker.as_ref());
    let current = position_for(store, ctx, &subtree, *scope == TaskScope::Here, known)?;
    Ok(current.map(|current| current.view))
}

/// The position below a plan's root; `None` if the plan has no open task.
pub(crate) fn position_in_plan(
    store: &mut Store,
    ctx: &Context,
    root: &TaskRow,
    plan: ReadPlan,
) -> Result<Option<TaskPosition>, AppError> {
    let subtree = Subtree {
        project: root.project.clone(),
        path: Some(root.path.clone()),
    };
    let worker = worker(store, ctx)?;
    let mut known = PositionContext::of(worker.as_ref());
    known.plan = Some(plan);
    let current = position_for(store, ctx, &subtree, false, known)?;
    Ok(current.map(|current| current.view))
}

/// The position in any project, not only the caller's.
pub(crate) fn position_of(
    store: &mut Store,
    ctx: &Context,
    project: ProjectId,
    known: PositionContext<'_>,
) -> Result<Option<CurrentTask>, AppError> {
    let path = focus(store, ctx, &project)?.map(|focus| focus.path);
    position_for(store, ctx, &Subtree { project, path }, true, known)
}

/// A worker's position in a subtree: the worker's own active task, else the first open task. `wide` means that the
/// caller named no scope, so the worker's own task may be elsewhere in the project.
fn position_for(
    store: &mut Store,
    ctx: &Context,
    subtree: &Subtree,
    wide: bool,
    known: PositionContext<'_>,
) -> Result<Option<CurrentTask>, AppError> {
    let worker = known.worker;
    let active = store.active(&subtree.project, subtree.path.as_ref(), MAX_ACTIVE_READ)?;
    let planned = plan_next(store, ctx, subtree, &active, worker, known.read_ahead)?;
    let mut own = ownership::own_leaf(store, ctx, &active, worker)?;
    if own.is_none() && wide && worker.is_some() && subtree.path.is_some() {
        // The focus may come from another session. The worker's own task takes precedence, even elsewhere in the
        // project.
        let all = match known.active {
            Some(all) => all.to_vec(),
            None => store.active(&subtree.project, None, MAX_SCANNED)?,
        };
        own = ownership::own_leaf(store, ctx, &all, worker)?;
    }
    let found = match own {
        Some(own) => Some(own),
        None => store.position(&subtree.project, subtree.path.as_ref())?,
    };
    let Some(mut row) = found else { return Ok(None) };
    let mut owner = ownership::task_owner(store, ctx, &row, worker)?;
    if owner.is_reserved_for_other() && row.task.status == TaskStatus::Pending {
        // The agent must not start a task that is reserved for another agent.
        let path = subtree.path.as_ref();
        let ready = store.ready(&subtree.project, path, false, MAX_SCANNED)?;
        if let Some(other) = first_startable_by(store, ctx, ready, worker)? {
            row = other;
            owner = ownership::task_owner(store, ctx, &row, worker)?;
        }
    }
    if planned.is_none_or(|planned| planned.task.id != row.task.id) {
        store.read_ahead(|plan| {
            plan_position(plan, &row)?;
            (known.read_ahead)(plan, &row)
        })?;
    }
    let above = store.above(&row)?;
    let is_known = |(plan, _): &ReadPlan| plan_link(&row, &above).is_some_and(|link| link.plan == plan.id);
    let plan = match known.plan.filter(is_known) {
        Some(plan) => Some(plan),
        None => read_plan_above(store, ctx, known.here, &row, &above)?,
    };
    let mut notices: Vec<TaskNotice> = ownership::holder_notice(ctx, &row, &owner).into_iter().collect();
    if let Some((plan, file)) = &plan {
        notices.extend(plan_files::file_notice(ctx, plan, file.as_ref()).map(TaskNotice::Plan));
    }
    if wide
        && let Some(path) = &subtree.path
        && store.is_open_outside(&subtree.project, path)?
    {
        notices.push(TaskNotice::OpenElsewhere {
            list: ctx.command(&["task", "list"]),
        });
    }
    let mut others = Vec::new();
    let other_rows = active
        .iter()
        .filter(|other| other.task.id != row.task.id && !other.path.holds(&row.path));
    for other in other_rows.take(MAX_ACTIVE_NAMED as usize) {
        others.push(ActiveTask {
            name: TaskName::of(&other.task),
            holder: ownership::task_owner(store, ctx, other, worker)?.holder(),
        });
    }
    if row.task.retries >= FAILURES_TO_SPLIT {
        notices.push(TaskNotice::RetriedOften {
            retries: row.task.retries,
            help: ctx.command(&["help", "task", "add"]),
        });
    }
    if !others.is_empty() {
        notices.push(TaskNotice::AlsoActive(others));
    }
    let chosen = skill::chosen_skill(store, ctx, &row, &above, None)?;
    let mut skill = chosen.view.clone();
    if skill.installed.is_none() && skill.pinned.is_none() {
        // Bugle reports a missing skill when the task starts and in `bugle task skill`, not in every reply.
        skill.notices.clear();
    }
    notices.extend(chosen.problems.iter().cloned().map(TaskNotice::Rules));
    let waits = store.waits_for(&row, &above)?;
    let begun = is_begun(store, &row)?;
    let view = TaskPosition {
        place: place(store, &row, &waits, &owner)?,
        task: task_view(&row, begun),
        above: above.iter().map(|row| TaskName::of(&row.task)).collect(),
        skill,
        plan: plan.as_ref().map(|(plan, _)| plan_name(plan)),
        commands: commands(ctx, &row, &owner),
        notices,
    };
    Ok(Some(CurrentTask {
        view,
        row,
        above,
        waits,
        plan,
        skill: chosen,
    }))
}

/// A task's place among other tasks. `waits` are the open tasks that the task waits for.
pub(super) fn place(
    store: &mut Store,
    row: &TaskRow,
    waits: &[(TaskRow, WaitSource)],
    owner: &TaskOwner,
) -> Result<TaskPlace, AppError> {
    let (before, after) = store.neighbours(row)?;
    let named = |in_order: bool| -> Vec<TaskName> {
        let waits = waits
            .iter()
            .filter(|(_, says)| (*says == WaitSource::Order) == in_order);
        waits.map(|(on, _)| TaskName::of(&on.task)).collect()
    };
    Ok(TaskPlace {
        name: TaskName::of(&row.task),
        before: before.map(|row| ClosedTask {
            name: TaskName::of(&row.task),
            skipped: row.task.status == TaskStatus::Skipped,
        }),
        after: after.map(|row| TaskName::of(&row.task)),
        holder: owner.holder(),
        waits_for: named(false),
        comes_after: named(true),
    })
}
