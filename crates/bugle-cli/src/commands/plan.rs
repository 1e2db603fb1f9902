//! `bugle plan`

use bugle_app::{App, AppError, Exit, ImportRequest, PlanSelector, TaskScope, plan_id, task_id};
use bugle_render::plan_views as text;

use super::run::local_time;
use crate::arguments_task::PlanCommand;
use crate::output::Output;

pub(crate) fn plan(app: &mut App, command: PlanCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        PlanCommand::Import(arguments) => {
            let imported = app.import_plan(&ImportRequest {
                file: arguments.file,
                under: arguments.under.as_deref().map(task_id).transpose()?,
                was: arguments.was.as_deref().map(plan_id).transpose()?,
                another: arguments.another,
                drop_active: arguments.drop_active,
                trust_checkboxes: arguments.trust_checkboxes,
            })?;
            output.answer(&imported, || text::imported(&imported))?;
        }
        PlanCommand::List => {
            let plans = app.plans()?;
            output.answer(&plans, || text::plans(&plans, &local_time))?;
        }
        PlanCommand::Show(arguments) => {
            let plan = app.show_plan(&PlanSelector::parse(arguments.plan.as_deref())?)?;
            output.answer(&plan, || text::plan(&plan, &local_time))?;
        }
        PlanCommand::Section(arguments) => {
            let selector = PlanSelector::parse(Some(&arguments.plan))?;
            let section = app.plan_section(&selector, &arguments.number)?;
            output.answer(&section, || text::section(&section))?;
        }
        PlanCommand::UpgradeSkills(arguments) => {
            let upgraded = app.upgrade_skills(&TaskScope::parse(arguments.within.as_deref())?)?;
            output.answer(&upgraded, || text::upgraded(&upgraded))?;
        }
    }
    Ok(Exit::Done)
}
