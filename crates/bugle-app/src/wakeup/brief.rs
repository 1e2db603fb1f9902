//! A sub-agent's brief for one task.

use bugle_core::id::VisitToken;
use bugle_core::reply::{BriefView, TaskName};
use bugle_core::role::AgentRole;
use bugle_core::task::TaskEvent;
use bugle_store::Store;

use crate::wakeup::task_facts;
use crate::{AppError, Context, RunSelector, open_run, resolve_id, runs, tasks};

/// The brief for a sub-agent with this role. `target` is a task id, or a visit of the run that is working on the task.
pub fn brief(
    store: &mut Store,
    ctx: &Context,
    target: &str,
    role: AgentRole,
    context: Option<String>,
) -> Result<BriefView, AppError> {
    let id = if target.contains('#') {
        task_of_visit(store, ctx, target)?
    } else {
        resolve_id::task_id(target)?
    };
    let row = tasks::task_row(store, ctx, &id)?;
    let plan = task_facts::plan_for(store, ctx, &row)?;
    let choice = tasks::task_skill(store, ctx, &row.task.id, Some(role))?;
    let events = store.task_events(&row.task.id)?;
    let notes = events.into_iter().filter_map(|recorded| match recorded.event {
        TaskEvent::Noted { text } => Some(text),
        _ => None,
    });
    let role_detail = crate::roles::show_role(ctx, role.as_str())?;
    Ok(BriefView {
        role: role.as_str().to_owned(),
        role_text: role_detail.text,
        task: TaskName::of(&row.task),
        text: plan.as_ref().and_then(|plan| plan.text.clone()),
        constraints: plan
            .as_ref()
            .map(|plan| plan.constraints.clone())
            .unwrap_or_default(),
        interfaces: plan.map(|plan| plan.interfaces).unwrap_or_default(),
        notes: notes.collect(),
        context,
        reminders: choice.reminders,
    })
}

fn task_of_visit(store: &mut Store, ctx: &Context, target: &str) -> Result<bugle_core::id::TaskId, AppError> {
    let token: VisitToken = target
        .parse()
        .map_err(|bad: bugle_core::id::BadId| AppError::Usage {
            what: bad.to_string(),
            hints: Vec::new(),
        })?;
    let row = runs::select(store, ctx, &RunSelector::Visit(token.clone()))?;
    let state = open_run::read_state(store, &row.id)?;
    let task = state.task(token.visit).map(|task| task.id.clone());
    task.ok_or_else(|| AppError::NotFound {
        what: format!("the run has no task at visit {token}"),
        hints: vec![format!("`{}` lists the tasks.", ctx.command(&["task", "list"]))],
    })
}
