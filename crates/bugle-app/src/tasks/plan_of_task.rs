//! A task's plan: its own plan, or the plan of its nearest planned ancestor.

use bugle_core::reply::PlanName;
use bugle_core::task::PlanLink;
use bugle_store::{PlanRow, ProjectId, Store, TaskRow};

use crate::plan_files::FileState;
use crate::{AppError, Context, plan_files, projects};

/// A plan, with the state of its file if the current project is the plan's project.
pub(crate) type ReadPlan = (PlanRow, Option<FileState>);

/// The plan of a task or its nearest planned ancestor, with the state of the plan file. `here` is the current project,
/// if the caller has read it.
pub(super) fn read_plan_above(
    store: &mut Store,
    ctx: &Context,
    here: Option<&ProjectId>,
    row: &TaskRow,
    above: &[TaskRow],
) -> Result<Option<ReadPlan>, AppError> {
    let Some(plan) = plan_above(store, row, above)? else {
        return Ok(None);
    };
    let here = match here {
        Some(here) => Some(here.clone()),
        None => projects::project(store, ctx)?,
    };
    let file = plan_files::file_state(ctx, here.as_ref(), &plan);
    Ok(Some((plan, file)))
}

/// The plan link of a task or its nearest planned ancestor.
pub(super) fn plan_link<'a>(row: &'a TaskRow, above: &'a [TaskRow]) -> Option<&'a PlanLink> {
    std::iter::once(row)
        .chain(above)
        .find_map(|row| row.task.plan.as_ref())
}

/// The plan of a task or its nearest planned ancestor.
pub(crate) fn plan_above(
    store: &mut Store,
    row: &TaskRow,
    above: &[TaskRow],
) -> Result<Option<PlanRow>, AppError> {
    let Some(link) = plan_link(row, above) else {
        return Ok(None);
    };
    let plans = store.plans_by_prefix(link.plan.as_str())?;
    Ok(plans.into_iter().find(|plan| plan.id == link.plan))
}

pub(crate) fn plan_name(plan: &PlanRow) -> PlanName {
    PlanName {
        id: plan.id.clone(),
        file: plan.file.clone(),
        title: plan.title.clone(),
    }
}
