//! Imports a plan into the task tree, for the first time or again.

use std::path::PathBuf;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::plan::Plan;
use bugle_core::reply::PlanImport;
use bugle_core::task::{
    Import, Importing, MAX_LEVELS, PlanLink, Rank, Task, TaskChanges, TaskCommand, TaskEvent, TaskKind,
    TaskRefusal, TaskStatus, TreePath, import,
};
use bugle_store::{PlanRow, ProjectId, Store, StoreError, TaskRow};

use super::import_report::{self, Imported};
use super::refusal::{active_vanish, imported_twice, no_tasks, refused_cycle, renamed};
use super::source::{PlanSource, plan_title, read_plan};
use crate::files::content_hash;
use crate::ids::{NewIdError, with_new_ids};
use crate::tasks::{
    CycleCheck, execute_command, load_task, move_under, outermost_changed, refuse_cycle, refused,
    tasks_around,
};
use crate::{AppError, Context, event_record, plan_files, projects, tasks};

/// Maximum depth of headings below a plan's root.
const MAX_PLAN_LEVELS: usize = 12;

/// The plan to import, and the import options.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The plan's file.
    pub file: PathBuf,
    /// The parent of the plan's root; the top level by default.
    pub under: Option<TaskId>,
    /// The plan that was imported from the file's earlier path, if the file has moved.
    pub was: Option<PlanId>,
    /// Whether to import the file as a new plan even if it looks like a renamed plan.
    pub another: bool,
    /// Whether ticked checkboxes and marks in headings close tasks.
    pub trust_checkboxes: bool,
    /// Whether the import may remove active tasks from the tree.
    pub drop_active: bool,
}

/// The row that the import writes for the plan.
struct PlannedRow {
    plan: PlanRow,
    /// Whether the plan was imported before.
    again: bool,
}

/// A plan's root before its tasks are imported.
struct Root {
    task: Task,
    path: TreePath,
    /// The root's ancestors, nearest first.
    above: Vec<TaskRow>,
    /// Changes to the root itself.
    changes: TaskChanges,
    /// The plan's tasks before the import.
    before: Vec<TaskRow>,
}

/// Imports a plan into the task tree. Tasks from an earlier import keep their status.
pub fn import_plan(
    store: &mut Store,
    ctx: &Context,
    request: &ImportRequest,
) -> Result<PlanImport, AppError> {
    let source = read_plan(store, ctx, &request.file)?;
    if source.plan.tasks.is_empty() {
        return Err(no_tasks(&source));
    }
    let project = projects::ensure_marked_project(store, ctx)?;
    let under = match &request.under {
        Some(under) => Some(tasks::task_row(store, ctx, under)?),
        None => None,
    };
    let was = match &request.was {
        Some(was) => Some(plan_files::load_plan(store, ctx, was)?),
        None => None,
    };
    let named = [
        under.as_ref().map(|row| (row.task.id.to_string(), &row.project)),
        was.as_ref().map(|plan| (plan.id.to_string(), &plan.project)),
    ];
    for (id, other) in named.into_iter().flatten() {
        if *other != project {
            return Err(AppError::Usage {
                what: format!("{id} belongs to another project"),
                hints: Vec::new(),
            });
        }
    }
    let branch = ctx.branch();
    let imported = with_new_ids("the plan", || {
        store.transaction(|tx| {
            let known = match &was {
                Some(was) => {
                    release_file(tx, ctx, &source, was)?;
                    Some(was.clone())
                }
                None => tx.plan_of_file(&project, &source.key)?,
            };
            if known.is_none() && !request.another {
                refuse_renamed(tx, ctx, &project, &source)?;
            }
            let planned = planned_row(ctx, &project, &source, known, branch.clone())?;
            write_import(tx, ctx, &source, planned, under.as_ref(), request)
        })
    })?;
    import_report::import_view(store, ctx, source, imported)
}

/// Refuses a new plan whose title matches a plan with a missing file. The new file is probably that plan's renamed
/// file, and importing it as a new plan would lose the progress.
fn refuse_renamed(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    source: &PlanSource,
) -> Result<(), AppError> {
    for other in store.plans_titled(project, &plan_title(source))? {
        let gone = plan_files::plan_file(ctx, Some(project), &other).is_some_and(|file| !file.exists());
        if gone && load_task(store, &other.root)?.task.removed.is_none() {
            let file = ctx.root.join(&source.key);
            return Err(renamed(ctx, &file, &other));
        }
    }
    Ok(())
}

/// Frees the key of a moved plan's file if another plan was imported from the same file. Refuses the import if that
/// other plan is still in the tree.
fn release_file(
    store: &mut Store,
    ctx: &Context,
    source: &PlanSource,
    was: &PlanRow,
) -> Result<(), AppError> {
    let Some(other) = store.plan_of_file(&was.project, &source.key)? else {
        return Ok(());
    };
    if other.id == was.id {
        return Ok(());
    }
    if load_task(store, &other.root)?.task.removed.is_some() {
        let file = format!("{} (as {})", other.file, other.id);
        return Ok(store.keep_plan(&PlanRow { file, ..other })?);
    }
    Err(imported_twice(ctx, source, was, &other))
}

/// The row that the import writes for the plan.
fn planned_row(
    ctx: &Context,
    project: &ProjectId,
    source: &PlanSource,
    known: Option<PlanRow>,
    branch: Option<String>,
) -> Result<PlannedRow, AppError> {
    let title = plan_title(source);
    let again = known.is_some();
    let plan = match known {
        Some(known) => PlanRow {
            title,
            file: source.key.clone(),
            source: content_hash(&source.bytes),
            branch,
            imported_at: ctx.now(),
            ..known
        },
        None => PlanRow {
            id: PlanId::from_random(ctx.random()?),
            project: project.clone(),
            file: source.key.clone(),
            title,
            source: content_hash(&source.bytes),
            branch,
            root: ctx.new_task_id()?,
            imported_at: ctx.now(),
        },
    };
    Ok(PlannedRow { plan, again })
}

/// Writes the plan and its tasks, inside a transaction.
fn write_import(
    store: &mut Store,
    ctx: &Context,
    source: &PlanSource,
    planned: PlannedRow,
    under: Option<&TaskRow>,
    request: &ImportRequest,
) -> Result<Imported, NewIdError> {
    let PlannedRow { plan, again } = planned;
    if let Some(under) = under.filter(|under| under.task.removed.is_some()) {
        return Err(refused(store, ctx, &under.task, &TaskRefusal::Removed)?.into());
    }
    if !again && is_taken(store, &plan.id)? {
        return Err(NewIdError::Taken);
    }
    store.keep_blobs(&[(plan.source.clone(), source.bytes.clone())])?;
    plan_files::keep_outline(store, &plan.source, &source.plan, &source.bytes)?;
    store.keep_plan(&plan)?;
    let root = if again {
        known_root(store, ctx, &plan, under)?
    } else {
        new_root(store, &plan, &source.plan, under)?
    };
    if root.above.len() + 1 + MAX_PLAN_LEVELS > MAX_LEVELS {
        return Err(NewIdError::Failed(AppError::Usage {
            what: format!(
                "cannot import the plan under this task: tasks cannot be nested more than {MAX_LEVELS} levels deep"
            ),
            hints: vec!["Import the plan under a task closer to the top level.".to_owned()],
        }));
    }
    let import = decide(ctx, &plan, source, &root, request.trust_checkboxes)?;
    if !request.drop_active {
        let active: Vec<&TaskRow> = root
            .before
            .iter()
            .filter(|row| import.vanished.contains(&row.task.id) && row.task.is_open())
            .filter(|row| row.task.status == TaskStatus::Active)
            .collect();
        if !active.is_empty() {
            return Err(active_vanish(ctx, source, &active).into());
        }
    }
    let mut changes = root.changes;
    changes.extend(import.changes.iter().cloned());
    if !store.change_tasks(&plan.project, &event_record::task_events(ctx, changes))? {
        return Err(NewIdError::Taken);
    }
    // The plan itself has no cycle, but tasks and dependencies that were added later may create one.
    let mut check = CycleCheck::of(outermost_changed(&root.path, &root.above, &import.changes));
    check.new = &import.nodes;
    refuse_cycle(store, ctx, &plan.project, check)?;
    let outermost = root.above.last().map_or(&plan.root, |row| &row.task.id);
    store.set_focus(&plan.project, ctx.session.as_ref(), outermost)?;
    let rows = store.subtree(&plan.project, &root.path)?;
    Ok(Imported {
        plan,
        before: root.before,
        import,
        again,
        rows,
    })
}

fn is_taken(store: &mut Store, id: &PlanId) -> Result<bool, AppError> {
    let found = store.plans_by_prefix(id.as_str())?;
    Ok(found.iter().any(|plan| plan.id == *id))
}

/// Decides what an import changes.
fn decide(
    ctx: &Context,
    plan: &PlanRow,
    source: &PlanSource,
    root: &Root,
    trust_checkboxes: bool,
) -> Result<Import, AppError> {
    let tasks = |rows: &[TaskRow]| -> Vec<Task> { rows.iter().map(|row| row.task.clone()).collect() };
    let hashes: Vec<String> = source
        .plan
        .tasks
        .iter()
        .map(|task| plan_files::hash_of(&task.content))
        .collect();
    let nodes = source.plan.groups.len() + source.plan.tasks.len();
    let ids: Vec<TaskId> = (0..nodes).map(|_| ctx.new_task_id()).collect::<Result<_, _>>()?;
    let importing = Importing {
        id: &plan.id,
        plan: &source.plan,
        hashes: &hashes,
        root: &root.task,
        above: &tasks(&root.above),
        known: &tasks(&root.before),
        trust_checkboxes,
    };
    import(importing, &ids).map_err(|cycle| refused_cycle(source, &cycle))
}

/// The root of a plan that is imported for the first time.
fn new_root(
    store: &mut Store,
    plan: &PlanRow,
    read: &Plan,
    under: Option<&TaskRow>,
) -> Result<Root, AppError> {
    let parent = under.map(|row| row.task.id.clone());
    let last = store.last_rank(&plan.project, parent.as_ref())?;
    let rank = Rank::portion(last, None, 1).ok_or_else(|| {
        AppError::System(
            "cannot import the plan: this level of the task tree is full; import it under another task"
                .to_owned(),
        )
    })?;
    let skill = read
        .preamble
        .skills
        .first()
        .and_then(|skill| SkillAddress::new(skill.as_str()).ok());
    let added = TaskEvent::Added {
        title: plan.title.clone(),
        parent,
        rank,
        skill,
        agent: None,
        plan: Some(root_link(plan)),
    };
    let mut above: Vec<TaskRow> = under.cloned().into_iter().collect();
    if let Some(under) = under {
        above.extend(store.above(under)?);
    }
    Ok(Root {
        task: Task::added(plan.root.clone(), &added).map_err(StoreError::from)?,
        path: under.map_or_else(|| TreePath::top(rank), |row| row.path.child(rank)),
        above,
        changes: vec![(plan.root.clone(), added)],
        before: Vec::new(),
    })
}

/// The root of a plan that was imported before. Restores the root if it was removed, and moves it if `under` is
/// another parent.
fn known_root(
    store: &mut Store,
    ctx: &Context,
    plan: &PlanRow,
    under: Option<&TaskRow>,
) -> Result<Root, AppError> {
    let mut root = load_task(store, &plan.root)?;
    if root.task.removed.is_some() {
        execute_command(store, ctx, &root.task.id, &TaskCommand::Reopen)?;
        root = load_task(store, &plan.root)?;
    }
    if let Some(under) = under.filter(|under| root.task.parent.as_ref() != Some(&under.task.id)) {
        move_under(store, ctx, &root, &under.task.id)?;
        root = load_task(store, &plan.root)?;
    }
    Ok(Root {
        above: store.above(&root)?,
        changes: renamed_root(&root.task, plan),
        before: tasks_around(store, &plan.id, &root)?,
        path: root.path,
        task: root.task,
    })
}

/// The plan link of a plan's root, which is a group without a number.
fn root_link(plan: &PlanRow) -> PlanLink {
    PlanLink {
        plan: plan.id.clone(),
        number: String::new(),
        title: plan.title.clone(),
        content_hash: String::new(),
        kind: TaskKind::Group,
    }
}

fn renamed_root(root: &Task, plan: &PlanRow) -> TaskChanges {
    let link = root_link(plan);
    let mut changes = TaskChanges::new();
    if let Some(old) = root.plan.as_ref().filter(|old| **old != link) {
        if root.title == old.title {
            let title = plan.title.clone();
            changes.push((root.id.clone(), TaskEvent::Retitled { title }));
        }
        changes.push((root.id.clone(), TaskEvent::Planned { plan: link }));
    }
    changes
}
