//! Finds the plan that a command applies to.

use bugle_core::id::TaskId;
use bugle_store::{PlanRow, Store};

use super::PlanSelector;
use crate::tasks::TaskScope;
use crate::{AppError, Context, plan_files, projects, tasks};

/// Resolves a selector to a plan.
pub(super) fn select_plan(
    store: &mut Store,
    ctx: &Context,
    selector: &PlanSelector,
) -> Result<PlanRow, AppError> {
    match selector {
        PlanSelector::Id(id) => plan_files::load_plan(store, ctx, id),
        PlanSelector::File(file) => {
            let path = ctx.directory.join(file);
            let path = path.canonicalize().unwrap_or(path);
            let key = plan_files::file_key(ctx, &path);
            let found = match projects::project(store, ctx)? {
                Some(project) => store.plan_of_file(&project, &key)?,
                None => None,
            };
            found.ok_or_else(|| plan_files::no_plan(ctx, &format!("the plan {key} has not been imported")))
        }
        PlanSelector::Here => {
            let Some(project) = projects::project(store, ctx)? else {
                return Err(plan_files::no_plan(ctx, "this project has no plans"));
            };
            let mut plans = store.plans(&project)?;
            if let Some(focus) = tasks::focus(store, ctx, &project)?
                && let Some(at) = plans.iter().position(|plan| plan.root == focus.root)
            {
                return Ok(plans.swap_remove(at));
            }
            match plans.len() {
                1 => Ok(plans.remove(0)),
                0 => Err(plan_files::no_plan(ctx, "this project has no plans")),
                _ => Err(AppError::Usage {
                    what: "this project has several plans; pass the id or file of one of them".to_owned(),
                    hints: plans
                        .iter()
                        .map(|plan| format!("{} ({})", plan.id, plan.file))
                        .collect(),
                }),
            }
        }
    }
}

/// The root of the task tree that a command applies to.
pub(super) fn root_of(store: &mut Store, ctx: &Context, scope: &TaskScope) -> Result<TaskId, AppError> {
    match scope {
        TaskScope::Task(id) => Ok(tasks::task_row(store, ctx, id)?.root),
        TaskScope::Plan(id) => {
            let plan = plan_files::load_plan(store, ctx, id)?;
            Ok(tasks::task_row(store, ctx, &plan.root)?.root)
        }
        TaskScope::Here | TaskScope::Project => {
            if let Some(project) = projects::project(store, ctx)?
                && let Some(focus) = tasks::focus(store, ctx, &project)?
            {
                return Ok(focus.root);
            }
            let plan = select_plan(store, ctx, &PlanSelector::Here)?;
            Ok(tasks::task_row(store, ctx, &plan.root)?.root)
        }
    }
}
