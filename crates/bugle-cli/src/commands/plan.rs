//! `bugle plan`

use std::path::PathBuf;

use bugle_app::{App, AppError, Exit, ImportRequest, PlanSelector, plan_id, plans, task_id};
use bugle_render::plan_text as text;
use clap::{Args, Subcommand};

use super::task::ScopeArgument;
use crate::local_time::local_time;
use crate::output::Output;

/// Take Markdown plans into the tree of tasks
#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Take a Markdown plan into the tree of tasks, or bring its tasks up to date after an edit
    Import(ImportArgs),
    /// List the plans of this project
    List,
    /// Show a plan with its tasks
    Show(ShowArgs),
    /// Print one task's text, exactly as the plan has it
    Section(SectionArgs),
    /// Have a plan keep to the versions of its skills that are installed now
    UpgradeSkills(ScopeArgument),
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The plan's file
    file: PathBuf,
    /// Inside this task
    #[arg(long, value_name = "TASK")]
    under: Option<String>,
    /// Close the tasks whose boxes are all ticked, or whose heading says that they are done
    #[arg(long)]
    trust_checkboxes: bool,
    /// The plan that this one was before its file got another name
    #[arg(long, value_name = "PLAN")]
    was: Option<String>,
    /// Remove tasks that the file no longer has, even if they are in progress
    #[arg(long)]
    drop_active: bool,
    /// It is another plan, even if it looks like one whose file got another name
    #[arg(long = "new", conflicts_with = "was")]
    another: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The plan's id or file; without it, the one that is worked on here
    #[arg(value_name = "PLAN|FILE")]
    plan: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SectionArgs {
    /// The plan's file or id
    #[arg(value_name = "FILE|PLAN")]
    plan: String,
    /// The task's number, as the plan writes it
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
