//! Shows plans: the list, one plan with its tasks, and the text of one task.

use bugle_core::id::PlanId;
use bugle_core::plan::{Node, Plan};
use bugle_core::reply::{PlanDetail, PlanList, PlanNotice, PlanSummary, PlanText};
use bugle_core::task::TaskState;
use bugle_skill::{parse_plan, plan_section};
use bugle_store::{PlanRow, Store, TaskRow};

use super::PlanSelector;
use super::pins::pin_views;
use super::select::select_plan;
use super::source::read_plan;
use crate::plan_files::FileState;
use crate::tasks::{Extent, line_views, load_task, plan_name};
use crate::{AppError, Context, plan_files, projects, tasks};

/// Maximum number of tasks shown for a plan.
const MAX_TASKS: u32 = 300;

/// This project's plans.
pub fn plans(store: &mut Store, ctx: &Context) -> Result<PlanList, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(PlanList { plans: Vec::new() });
    };
    let mut plans = Vec::new();
    for plan in store.plans(&project)? {
        let root = load_task(store, &plan.root)?;
        let file = plan_files::file_state(ctx, Some(&project), &plan);
        plans.push(plan_summary(store, ctx, &plan, &root, file.as_ref())?);
    }
    Ok(PlanList { plans })
}

pub(super) fn plan_summary(
    store: &mut Store,
    ctx: &Context,
    plan: &PlanRow,
    root: &TaskRow,
    file: Option<&FileState>,
) -> Result<PlanSummary, AppError> {
    let (tasks, closed) = store.plan_counts(&plan.id, u32::MAX)?;
    let begun = tasks::is_begun(store, root)?;
    let current = tasks::focus(store, ctx, &plan.project)?.is_some_and(|focus| focus.root == root.root);
    let removed = root.task.removed.is_some().then_some(PlanNotice::Removed);
    let notices = plan_files::file_notice(ctx, plan, file)
        .into_iter()
        .chain(removed);
    Ok(PlanSummary {
        name: plan_name(plan),
        root: plan.root.clone(),
        state: TaskState::of(root.task.status, root.is_blocked(), begun),
        tasks,
        closed,
        branch: plan.branch.clone(),
        imported_at: plan.imported_at,
        current,
        notices: notices.collect(),
    })
}

/// A plan with its tasks, and with its text unless `extent` is `Brief`.
pub fn show_plan(
    store: &mut Store,
    ctx: &Context,
    selector: &PlanSelector,
    extent: Extent,
) -> Result<PlanDetail, AppError> {
    let row = select_plan(store, ctx, selector)?;
    let text = match extent {
        Extent::Full | Extent::Work => Some(PlanText {
            file: row.file.clone(),
            line: 1,
            text: current_text(store, ctx, &row)?,
        }),
        Extent::Brief => None,
    };
    let text_command = text_command(ctx, &row.id);
    let plan = parse_plan(&plan_files::imported_text(store, &row)?);
    let root = load_task(store, &row.root)?;
    let mut rows = store.window(&root.project, Some(&root.path), true, MAX_TASKS + 1)?;
    let more = rows.len() > MAX_TASKS as usize;
    rows.truncate(MAX_TASKS as usize);
    let here = projects::project(store, ctx)?;
    let file = plan_files::file_state(ctx, here.as_ref(), &row);
    let summary = plan_summary(store, ctx, &row, &root, file.as_ref())?;
    let pins = pin_views(store, &root.root)?;
    let position = tasks::position_in_plan(store, ctx, &root, (row, file))?;
    let current = position.as_ref().map(|at| at.task.id.clone());
    Ok(PlanDetail {
        plan: summary,
        goal: plan.preamble.goal.clone(),
        architecture: plan.preamble.architecture.clone(),
        tech_stack: plan.preamble.tech_stack.clone(),
        skills: plan.preamble.skills.clone(),
        constraints: plan
            .constraints
            .iter()
            .flat_map(|section| section.items.clone())
            .collect(),
        pins,
        tasks: line_views(&rows, current.as_ref()),
        more,
        unclear: plan.notes,
        position,
        text,
        text_command,
    })
}

/// The command that shows a plan with its text.
pub(crate) fn text_command(ctx: &Context, plan: &PlanId) -> String {
    ctx.command(&["plan", "show", plan.as_str(), "--full"])
}

/// The text of a plan's file. If the file is missing, the imported text.
fn current_text(store: &mut Store, ctx: &Context, row: &PlanRow) -> Result<String, AppError> {
    let here = projects::project(store, ctx)?;
    let existing = plan_files::plan_file(ctx, here.as_ref(), row).filter(|file| file.is_file());
    match existing {
        Some(path) => {
            let source = read_plan(store, ctx, &path)?;
            Ok(plan_files::text_of(source.bytes).unwrap_or_default())
        }
        None => plan_files::imported_text(store, row),
    }
}

/// One task's text, exactly as in the plan's file. If the file is missing, the imported text.
pub fn show_plan_section(
    store: &mut Store,
    ctx: &Context,
    selector: &PlanSelector,
    number: &str,
) -> Result<PlanText, AppError> {
    let (file, text) = match selector {
        PlanSelector::File(file) => match read_plan(store, ctx, file) {
            Ok(source) => (source.key, plan_files::text_of(source.bytes).unwrap_or_default()),
            Err(error) => match select_plan(store, ctx, selector) {
                Ok(row) => (row.file.clone(), plan_files::imported_text(store, &row)?),
                Err(_) => return Err(error),
            },
        },
        other => {
            let row = select_plan(store, ctx, other)?;
            let text = current_text(store, ctx, &row)?;
            (row.file, text)
        }
    };
    let plan = parse_plan(&text);
    let node = section_node(&plan, number, &file)?;
    let found = plan_section(&text, &plan, node).zip(plan.extent(node));
    let (section, extent) = found
        .ok_or_else(|| AppError::System("the plan's file does not contain the task's section".to_owned()))?;
    Ok(PlanText {
        file,
        line: extent.line,
        text: section.to_owned(),
    })
}

/// The task with this number, or the group with this name.
fn section_node(plan: &Plan, number: &str, file: &str) -> Result<Node, AppError> {
    let wanted = number.trim();
    let wanted = wanted
        .strip_prefix("Task ")
        .or_else(|| wanted.strip_prefix("task "))
        .unwrap_or(wanted);
    let tasks = plan.tasks_numbered(wanted);
    match tasks.as_slice() {
        [one] => return Ok(Node::Task(*one)),
        [] => {}
        several => {
            return Err(AppError::Usage {
                what: format!("{file} has {} tasks numbered {number}", several.len()),
                hints: several
                    .iter()
                    .map(|index| {
                        let task = &plan.tasks[*index];
                        format!("line {}: Task {}: {}", task.extent.line, task.number, task.title)
                    })
                    .collect(),
            });
        }
    }
    let is_wanted = |index: &usize| {
        let group = &plan.groups[*index];
        group.called().eq_ignore_ascii_case(wanted) || group.title.eq_ignore_ascii_case(wanted)
    };
    if let Some(group) = (0..plan.groups.len()).find(is_wanted) {
        return Ok(Node::Group(group));
    }
    let numbers: Vec<&str> = plan.tasks.iter().map(|task| task.number.as_str()).collect();
    Err(AppError::NotFound {
        what: format!("{file} has no task {number}"),
        hints: match numbers.as_slice() {
            [] => vec!["The file has no tasks.".to_owned()],
            [first, .., last] => vec![format!(
                "The file has {} tasks, from {first} to {last}.",
                numbers.len()
            )],
            [only] => vec![format!("The file has one task: {only}.")],
        },
    })
}
