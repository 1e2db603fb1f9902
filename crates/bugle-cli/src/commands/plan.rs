//! `bugle plan`

use std::path::PathBuf;

use bugle_app::{App, AppError, Exit, Extent, ImportRequest, PlanSelector, plan_id, plans, task_id};
use bugle_render::plan_text as text;
use clap::{Args, Subcommand};

use super::task::ScopeArgument;
use crate::local_time::local_time;
use crate::output::Output;

/// Import Markdown plans and show their progress
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle plan import docs/plan.md")]
pub(crate) enum PlanCommand {
    /// Import a Markdown plan, or update its tasks after an edit
    Import(ImportArgs),
    /// List plans
    #[command(after_help = "Example:\n  bugle plan list")]
    List,
    /// Show a plan with its tasks
    Show(ShowArgs),
    /// Print a plan's text for one task
    Section(SectionArgs),
    /// Update a plan's pinned skills to their installed versions
    #[command(after_help = "Example:\n  bugle plan upgrade-skills p-8x2")]
    UpgradeSkills(ScopeArgument),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle plan import docs/plans/login.md")]
pub(crate) struct ImportArgs {
    /// Plan file
    file: PathBuf,
    /// Import the tasks as subtasks of this task
    #[arg(long, value_name = "TASK")]
    under: Option<String>,
    /// Close tasks that the file marks as done
    #[arg(long)]
    trust_checkboxes: bool,
    /// Update this plan from its renamed file
    #[arg(long, value_name = "PLAN")]
    was: Option<String>,
    /// Also remove tasks in progress that are no longer in the file
    #[arg(long)]
    drop_active: bool,
    /// Import as a new plan, even if the file looks like a renamed plan
    #[arg(long = "new", conflicts_with = "was")]
    another: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle plan show docs/plans/login.md")]
pub(crate) struct ShowArgs {
    /// Plan id or file [default: the current plan]
    #[arg(value_name = "PLAN|FILE")]
    plan: Option<String>,
    /// Also print the plan's text
    #[arg(long)]
    full: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle plan section docs/plans/login.md 2")]
pub(crate) struct SectionArgs {
    /// Plan id or file
    #[arg(value_name = "FILE|PLAN")]
    plan: String,
    /// Task number in the plan
    number: String,
}

pub(crate) fn run(app: &mut App, command: PlanCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        PlanCommand::Import(args) => {
            let imported = plans::import_plan(
                &mut app.store,
                &app.context,
                &ImportRequest {
                    file: args.file,
                    under: args.under.as_deref().map(task_id).transpose()?,
                    was: args.was.as_deref().map(plan_id).transpose()?,
                    another: args.another,
                    drop_active: args.drop_active,
                    trust_checkboxes: args.trust_checkboxes,
                },
            )?;
            output.answer(&imported, || text::imported(&imported))?;
        }
        PlanCommand::List => {
            let plans = plans::plans(&mut app.store, &app.context)?;
            output.answer(&plans, || text::plans(&plans, &local_time))?;
        }
        PlanCommand::Show(args) => {
            let plan = plans::show_plan(
                &mut app.store,
                &app.context,
                &PlanSelector::parse(args.plan.as_deref())?,
                if args.full { Extent::Full } else { Extent::Brief },
            )?;
            output.answer(&plan, || text::plan(&plan, &local_time))?;
        }
        PlanCommand::Section(args) => {
            let selector = PlanSelector::parse(Some(&args.plan))?;
            let section = plans::show_plan_section(&mut app.store, &app.context, &selector, &args.number)?;
            output.answer(&section, || text::section(&section))?;
        }
        PlanCommand::UpgradeSkills(args) => {
            let upgraded = plans::upgrade_skills(&mut app.store, &app.context, &args.scope()?)?;
            output.answer(&upgraded, || text::upgraded(&upgraded))?;
        }
    }
    Ok(Exit::Done)
}
