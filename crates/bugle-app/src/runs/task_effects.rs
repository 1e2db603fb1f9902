//! A run's effects on tasks: loads the board of the run's plan, applies a decision to its tasks, imports a plan.

use std::path::Path;

use bugle_core::engine::RunState;
use bugle_core::id::{RunId, TaskId};
use bugle_core::plan::Node;
use bugle_core::task::{Board, BoardTask, TaskBrief, TaskCommand, TaskEffect, TaskKind};
use bugle_render::refused_text;
use bugle_skill::{parse_plan, plan_section};
use bugle_store::{Store, TaskRow};

use crate::evidence::ImportedPlan;
use crate::open_run::OpenRun;
use crate::plans::{ImportRequest, PlanIndex};
use crate::tasks::{execute_command, load_task};
use crate::{AppError, Context, plan_files, plans};

/// A decision's effects on tasks.
pub(super) struct TaskEffects {
    /// The tasks and their effects, in order.
    pub effects: Vec<(TaskId, TaskEffect)>,
    /// Whether the run was rewound. If so, tasks that were closed after the rewind point reopen.
    pub rewound: bool,
}

/// The tasks under a plan's root; `None` without a root.
pub(super) fn board(
    store: &mut Store,
    ctx: &Context,
    root: Option<&TaskId>,
) -> Result<Option<Board>, AppError> {
    let Some(root) = root else { return Ok(None) };
    let root = load_task(store, root)?;
    let source = match &root.task.plan {
        Some(link) => {
            let plan = plan_files::load_plan(store, ctx, &link.plan)?;
            plan_files::imported_text(store, &plan)?
        }
        None => String::new(),
    };
    let plan = parse_plan(&source);
    let index = PlanIndex::new(&plan);
    let mut tasks = Vec::new();
    for row in store.subtree(&root.project, &root.path)? {
        if row.task.removed.is_some() {
            continue;
        }
        let node = row.task.plan.as_ref().and_then(|link| index.find(link));
        let files = match node {
            Some(Node::Task(index)) => plan.tasks[index]
                .files
                .iter()
                .map(|file| file.path.clone())
                .collect(),
            _ => Vec::new(),
        };
        let text = node
            .and_then(|node| plan_section(&source, &plan, node))
            .unwrap_or_default();
        let is_root = row.task.id == root.task.id;
        tasks.push(BoardTask {
            waits_for: waits_on_board(store, &row, is_root)?,
            parent: row.task.parent.clone().filter(|_| !is_root),
            kind: if row.task.is_group() || is_root {
                TaskKind::Group
            } else {
                TaskKind::Work
            },
            status: row.task.status,
            brief: TaskBrief {
                number: row.task.number().unwrap_or_default().to_owned(),
                text: text.to_owned(),
                files,
                skill: row.task.skill,
                title: row.task.title,
                id: row.task.id,
            },
        });
    }
    Ok(Some(Board::new(tasks)))
}

/// The open tasks that a task waits for. For the root, also includes the open tasks that its ancestors wait for.
fn waits_on_board(store: &mut Store, row: &TaskRow, is_root: bool) -> Result<Vec<TaskId>, AppError> {
    if row.blockers == 0 {
        return Ok(Vec::new());
    }
    if is_root {
        let above = store.above(row)?;
        let open = store.waits_for(row, &above)?;
        return Ok(open.into_iter().map(|(on, _)| on.task.id).collect());
    }
    let mut waits = Vec::new();
    for on in row.task.waits_for.keys() {
        if load_task(store, on)?.task.is_open() {
            waits.push(on.clone());
        }
    }
    Ok(waits)
}

/// Imports a plan for a run. Returns an error as a sentence.
pub(super) fn import_plan_for(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    file: &Path,
) -> Result<ImportedPlan, String> {
    let request = ImportRequest {
        file: Path::new(&run.directory).join(file),
        under: None,
        was: None,
        another: true,
        trust_checkboxes: false,
        drop_active: false,
    };
    // The plan belongs to the run's project, even if the command runs elsewhere.
    let run_ctx = ctx.moved_to(Path::new(&run.directory));
    match plans::import_plan(store, &run_ctx, &request) {
        Ok(imported) => Ok(ImportedPlan {
            root: imported.plan.root,
            tasks: imported.plan.tasks,
        }),
        Err(AppError::Refused(refusal)) => {
            let refusal = refused_text::view(&refusal);
            let details = refusal.details.join("; ");
            Err(format!("{} {details} {}", refusal.message, refusal.remedy))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Applies a decision's effects to the task tree, inside the transaction that records the decision. Returns false if a
/// task has changed since the board was loaded. The caller must then decide again.
pub(super) fn apply_effects(
    store: &mut Store,
    ctx: &Context,
    run: &RunState,
    board: Option<&Board>,
    task_effects: &TaskEffects,
) -> Result<bool, AppError> {
    let expected_status = |id: &TaskId| {
        let tasks = board.map(Board::tasks).unwrap_or_default();
        tasks
            .iter()
            .find(|task| task.brief.id == *id)
            .map(|task| task.status)
    };
    for (id, _) in &task_effects.effects {
        let row = load_task(store, id)?;
        if expected_status(id).is_some_and(|expected| expected != row.task.status) {
            return Ok(false);
        }
    }
    for (id, effect) in &task_effects.effects {
        let row = load_task(store, id)?;
        if row.task.removed.is_some() {
            continue;
        }
        let closed = !row.task.status.is_open();
        for command in commands(effect, &run.id, closed, task_effects.rewound) {
            execute_command(store, ctx, id, &command)?;
        }
        close_groups(store, ctx, &row)?;
    }
    Ok(true)
}

/// The task commands for an effect. A closed task stays closed unless the run was rewound.
fn commands(effect: &TaskEffect, run: &RunId, closed: bool, rewound: bool) -> Vec<TaskCommand> {
    let reason = |text: &String| {
        if text.trim().is_empty() {
            "no reason was given".to_owned()
        } else {
            text.clone()
        }
    };
    let start = TaskCommand::Start {
        agent: None,
        run: Some(run.clone()),
        take_over: true,
    };
    match effect {
        TaskEffect::Start if closed => vec![TaskCommand::Reopen, start],
        TaskEffect::Start => vec![start],
        TaskEffect::Release if closed && !rewound => Vec::new(),
        TaskEffect::Release => vec![TaskCommand::Reopen],
        _ if closed => Vec::new(),
        TaskEffect::Done => vec![TaskCommand::Done],
        TaskEffect::Skip { reason: why } => vec![TaskCommand::Skip {
            reason: Some(reason(why)),
        }],
        TaskEffect::Fail { reason: why } => vec![TaskCommand::Fail { reason: reason(why) }],
        TaskEffect::Block { reason: why } => vec![TaskCommand::Block { reason: reason(why) }],
    }
}

/// Closes the groups above a task if their last open child was closed.
fn close_groups(store: &mut Store, ctx: &Context, row: &TaskRow) -> Result<(), AppError> {
    for above in store.above(row)? {
        // Read the group again: this loop may just have closed its last open child.
        let above = load_task(store, &above.task.id)?;
        if above.task.is_group() && !above.task.is_open() {
            continue;
        }
        let is_finished = above.task.is_group() && above.task.is_open() && above.open_children == 0;
        if !is_finished || above.blockers > 0 {
            return Ok(());
        }
        execute_command(store, ctx, &above.task.id, &TaskCommand::Done)?;
    }
    Ok(())
}
