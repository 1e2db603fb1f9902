//! The position: the current task, the tasks that can start, and a sentence that explains them.

use bugle_core::name::AgentName;
use bugle_core::reply::{NextView, ReadyList, TaskPosition};
use bugle_core::task::{TaskState, TaskStatus, WaitSource};
use bugle_core::wake::FAILURES_TO_SPLIT;
use bugle_render::task_text::{PositionFacts, inline_label, position_sentence};
use bugle_store::{Plan, ProjectId, Store, StoreError, TaskRow};

use super::next_commands::commands;
use super::ownership::{TaskOwner, first_startable_by};
use super::plan_of_task::{ReadPlan, plan_link, plan_name, read_plan_above};
use super::skill::ChosenSkill;
use super::{Subtree, TaskScope, name_of, task_view};
use crate::ownership::{Worker, worker};
use crate::plan_files::FileState;
use crate::tasks::{focus, ownership, resolve_scope, skill, startable_scope};
use crate::{AppError, Context, plan_files, projects};

/// Maximum number of other active tasks listed with the position.
const MAX_ACTIVE_NAMED: u32 = 3;
/// Maximum number of active tasks to read first.
pub(crate) const MAX_ACTIVE_READ: u32 = MAX_ACTIVE_NAMED + 1;
/// Maximum number of tasks to scan for one that the agent holds or may start.
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
    /// Its plan.
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
    /// What else the caller reads about the current task.
    pub read_ahead: fn(&mut Plan<'_>, &TaskRow) -> Result<(), StoreError>,
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

/// The position in a scope, or a message if no task is open.
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
    let position = position.map(|at| at.view);
    let any = match (&position, projects::project(store, ctx)?) {
        (None, Some(project)) => !store.window(&project, None, true, 1)?.is_empty(),
        _ => false,
    };
    let message = if position.is_some() {
        String::new()
    } else if any {
        let mut message = "All tasks here are closed.".to_owned();
        for notice in changed_plan_notices(store, ctx)? {
            message = format!("{message}\n{notice}");
        }
        message
    } else {
        format!(
            "This project has no tasks. `{}` imports a plan, `{}` adds a task.",
            ctx.command(&["plan", "import", "FILE"]),
            ctx.command(&["task", "add", "TITLE"])
        )
    };
    Ok(NextView { position, message })
}

/// Notices about changed plan files, which may contain new tasks.
fn changed_plan_notices(store: &mut Store, ctx: &Context) -> Result<Vec<String>, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(Vec::new());
    };
    let mut notices = Vec::new();
    for plan in store.plans(&project)?.into_iter().rev().take(MAX_PLANS) {
        let file = plan_files::file_state(ctx, Some(&project), &plan);
        if matches!(file, Some(FileState::Changed(_))) {
            let found = plan_files::file_notices(ctx, &plan, file.as_ref());
            notices.extend(found.into_iter().map(|notice| format!("{}: {notice}", plan.file)));
        }
    }
    Ok(notices)
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
    store.read_ahead(|plan| {
        plan_position(plan, &row)?;
        (known.read_ahead)(plan, &row)
    })?;
    let above = store.above(&row)?;
    let is_known = |(plan, _): &ReadPlan| plan_link(&row, &above).is_some_and(|link| link.plan == plan.id);
    let plan = match known.plan.filter(is_known) {
        Some(plan) => Some(plan),
        None => read_plan_above(store, ctx, known.here, &row, &above)?,
    };
    let mut notices: Vec<String> = ownership::holder_notices(ctx, &row, &owner);
    if let Some((plan, file)) = &plan {
        notices.extend(plan_files::file_notices(ctx, plan, file.as_ref()));
    }
    if wide
        && let Some(path) = &subtree.path
        && store.is_open_outside(&subtree.project, path)?
    {
        notices.push(format!(
            "Other tasks are open in this project. `{}` lists them.",
            ctx.command(&["task", "list"])
        ));
    }
    let mut others = Vec::new();
    let other_rows = active
        .iter()
        .filter(|other| other.task.id != row.task.id && !other.path.holds(&row.path));
    for other in other_rows.take(MAX_ACTIVE_NAMED as usize) {
        let label = inline_label(&other.task);
        others.push(
            match ownership::task_owner(store, ctx, other, worker)?.display_name() {
                Some(agent) => format!("{label} ({agent})"),
                None => label,
            },
        );
    }
    if row.task.retries >= FAILURES_TO_SPLIT {
        notices.push(format!(
            "This task has been retried {} times. Split it into subtasks; `{}` shows how.",
            row.task.retries,
            ctx.command(&["help", "task", "add"])
        ));
    }
    if !others.is_empty() {
        notices.push(format!("Also in progress: {}.", others.join(", ")));
    }
    let chosen = skill::chosen_skill(store, ctx, &row, &above, None)?;
    let mut skill = chosen.view.clone();
    if skill.installed.is_none() && skill.pinned.is_none() {
        // Bugle reports a missing skill when the task starts and in `bugle task skill`, not in every reply.
        skill.notices.clear();
    }
    notices.extend(chosen.notices.clone());
    let waits = store.waits_for(&row, &above)?;
    let begun = is_begun(store, &row)?;
    let view = TaskPosition {
        sentence: sentence(store, &row, &above, &waits, begun, &owner)?,
        task: task_view(&row, begun),
        above: above.iter().map(|row| name_of(&row.task)).collect(),
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

/// Plans to read what a position says about a task.
fn plan_position(plan: &mut Plan<'_>, row: &TaskRow) -> Result<(), StoreError> {
    plan.above(row).ok();
    if let Some(link) = &row.task.plan {
        plan.plans_by_prefix(link.plan.as_str())?;
    }
    plan.skill_pins(&row.root)?;
    plan.neighbours(row)?;
    if row.children > 0 {
        plan.is_begun_inside(&row.project, &row.path)?;
    }
    for on in row.task.waits_for.keys() {
        plan.task(on)?;
    }
    Ok(())
}

/// A sentence about a task's place in the tree. `waits` are the open tasks that the task waits for; `begun` says
/// whether a task below it has started or ended.
pub(super) fn sentence(
    store: &mut Store,
    row: &TaskRow,
    above: &[TaskRow],
    waits: &[(TaskRow, WaitSource)],
    begun: bool,
    owner: &TaskOwner,
) -> Result<String, AppError> {
    let (before, after) = store.neighbours(row)?;
    let named = |in_order: bool| -> Vec<String> {
        let waits = waits
            .iter()
            .filter(|(_, says)| (*says == WaitSource::Order) == in_order);
        waits.map(|(on, _)| inline_label(&on.task)).collect()
    };
    let (waits_for, comes_after) = (named(false), named(true));
    let own = inline_label(&row.task);
    if row.task.removed.is_some() {
        return Ok(format!("{own} was removed."));
    }
    let parent = above.first().map(|row| inline_label(&row.task));
    let before = before.map(|row| (inline_label(&row.task), row.task.status == TaskStatus::Skipped));
    let after = after.map(|row| inline_label(&row.task));
    Ok(position_sentence(&PositionFacts {
        label: &own,
        above: parent.as_deref(),
        before: before.as_ref().map(|(label, skipped)| (label.as_str(), *skipped)),
        state: Some(TaskState::of(row.task.status, row.is_blocked(), begun)),
        ready_to_close: row.task.is_open() && row.children > 0 && row.open_children == 0,
        reason: row.task.reason.as_deref(),
        agent: owner.display_name(),
        waits_for: &waits_for,
        comes_after: &comes_after,
        after: after.as_deref(),
    }))
}
