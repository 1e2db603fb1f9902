//! `bugle task edit`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::commands::args::skill_address;
use crate::output::Output;

/// Change a task's title or skill
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task edit t-4k2 --skill develop")]
pub(crate) struct EditArgs {
    /// Task id or prefix
    task: String,
    #[command(flatten)]
    choices: EditChoices,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
struct EditChoices {
    /// New title
    #[arg(long)]
    title: Option<String>,
    /// New skill
    #[arg(long)]
    skill: Option<String>,
    /// Remove the skill from the task
    #[arg(long, conflicts_with = "skill")]
    no_skill: bool,
}

pub(super) fn run(app: &mut App, args: EditArgs, output: &Output) -> Result<Exit, AppError> {
    let task = task_id(&args.task)?;
    let mut commands = Vec::new();
    if let Some(title) = args.choices.title {
        commands.push(TaskCommand::Retitle(title));
    }
    if let Some(skill) = args.choices.skill {
        commands.push(TaskCommand::NameSkill(Some(skill_address(skill)?)));
    }
    if args.choices.no_skill {
        commands.push(TaskCommand::NameSkill(None));
    }
    let changed = tasks::change_task_by(&mut app.store, &app.context, &task, &commands)?;
    print_changed(&changed, output)
}
