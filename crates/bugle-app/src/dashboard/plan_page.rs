//! The task page for a project or a plan.

use std::collections::BTreeMap;

use bugle_core::id::TaskId;
use bugle_core::reply::{TaskLine, TaskName, TaskPosition};
use bugle_store::{PlanRow, Store};
use serde::Serialize;

use crate::tasks::{TaskScope, line_views};
use crate::{AppError, Context, plan_files, projects, resolve_id, tasks, wakeup};

/// Maximum number of tasks on a page.
const TASKS_PER_PAGE: u32 = 100;
/// Maximum number of tasks to count in a plan.
const MAX_COUNTED: u32 = 999;
/// Maximum number of plans listed.
const MAX_PLANS: usize = 50;

/// A plan in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLine {
    /// The plan's id.
    pub id: String,
    /// The plan's title.
    pub title: String,
    /// The plan's file.
    pub file: String,
    /// The branch on which the plan was last imported.
    pub branch: Option<String>,
    /// When the plan was last imported, in milliseconds since 1970.
    pub imported_at: i64,
    /// The number of tasks in the plan, up to the counting limit.
    pub tasks: u32,
    /// The number of closed tasks among the counted ones.
    pub closed: u32,
    /// Whether the plan has more tasks than the counting limit.
    pub at_least: bool,
}

/// A page of tasks of a project or a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanPage {
    /// The project's plans.
    pub plans: Vec<PlanLine>,
    /// The plan, if the page shows one.
    pub plan: Option<PlanLine>,
    /// The current position in the plan.
    pub position: Option<TaskPosition>,
    /// The names of the first task's ancestors, outermost first.
    pub above: Vec<String>,
    /// The tasks in order.
    pub tasks: Vec<TaskLine>,
    /// Short names, by id, of the tasks on the page and of their dependencies.
    pub names: BTreeMap<TaskId, String>,
    /// The last task on this page, if there is a next page.
    pub next: Option<String>,
    /// Whether there is a previous page.
    pub later: bool,
}

/// A page of the tasks of this project or of one of its plans. The page starts after the task `behind`, if given.
pub fn plan_page(
    store: &mut Store,
    ctx: &Context,
    plan: Option<&str>,
    behind: Option<&str>,
) -> Result<PlanPage, AppError> {
    let mut page = PlanPage {
        plans: Vec::new(),
        plan: None,
        position: None,
        above: Vec::new(),
        tasks: Vec::new(),
        names: BTreeMap::new(),
        next: None,
        later: behind.is_some(),
    };
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(page);
    };
    for row in store.plans(&project)?.iter().rev().take(MAX_PLANS) {
        page.plans.push(plan_line(store, row)?);
    }
    let scope = match plan {
        Some(id) => {
            let row = plan_files::load_plan(store, ctx, &resolve_id::plan_id(id)?)?;
            page.plan = Some(plan_line(store, &row)?);
            TaskScope::Plan(row.id)
        }
        None => TaskScope::Project,
    };
    let Some(within) = tasks::resolve_scope(store, ctx, &scope)? else {
        return Ok(page);
    };
    let behind = match behind {
        Some(id) => Some(tasks::task_row(store, ctx, &resolve_id::task_id(id)?)?.path),
        None => None,
    };
    let mut rows = store.tasks_page(
        &within.project,
        within.path.as_ref(),
        behind.as_ref(),
        TASKS_PER_PAGE + 1,
    )?;
    let more = rows.len() > TASKS_PER_PAGE as usize;
    rows.truncate(TASKS_PER_PAGE as usize);
    page.position = match &scope {
        TaskScope::Project => tasks::position(store, ctx, &TaskScope::Here)?,
        plan => tasks::position(store, ctx, plan)?,
    };
    let current = page.position.as_ref().map(|at| at.task.id.clone());
    page.next = rows.last().filter(|_| more).map(|row| row.task.id.to_string());
    let mut depth = 0;
    if let Some(first) = rows.first() {
        let above = store.above(first)?;
        page.above = above
            .iter()
            .rev()
            .map(|row| TaskName::of(&row.task).label())
            .collect();
        depth = u32::try_from(above.len()).unwrap_or(0);
    }
    page.tasks = line_views(&rows, current.as_ref());
    // A page that begins inside a tree keeps that tree's indentation.
    let top = match &within.path {
        Some(path) => u32::try_from(path.levels()).unwrap_or(1).saturating_sub(1),
        None => 0,
    };
    for (line, row) in page.tasks.iter_mut().zip(&rows) {
        let levels = u32::try_from(row.path.levels()).unwrap_or(1);
        line.depth = levels.saturating_sub(1).saturating_sub(top);
    }
    if depth <= top {
        page.above.clear();
    }
    let elsewhere = wakeup::waited_for(store, &page.tasks, &[])?;
    let here = page
        .tasks
        .iter()
        .map(|line| (&line.task.id, line.task.label.clone()));
    let named = here.chain(elsewhere.iter().map(|name| (&name.id, name.label())));
    page.names = named
        .map(|(id, label)| (id.clone(), label.split(": ").next().unwrap_or(&label).to_owned()))
        .collect();
    Ok(page)
}

fn plan_line(store: &mut Store, plan: &PlanRow) -> Result<PlanLine, AppError> {
    let (tasks, closed) = store.plan_counts(&plan.id, MAX_COUNTED + 1)?;
    Ok(PlanLine {
        id: plan.id.to_string(),
        title: plan.title.clone(),
        file: plan.file.clone(),
        branch: plan.branch.clone(),
        imported_at: plan.imported_at.0,
        tasks: tasks.min(MAX_COUNTED),
        closed: closed.min(MAX_COUNTED),
        at_least: tasks > MAX_COUNTED,
    })
}
