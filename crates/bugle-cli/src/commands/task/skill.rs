//! `bugle task skill`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_render::task as text;
use clap::Args;

use crate::commands::args::role_named;
use crate::output::Output;

/// Show which skill applies to a task, and why
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task skill t-4k2")]
pub(crate) struct SkillArgs {
    /// Task id or prefix
    task: String,
    /// Select the skill for an agent with this role
    #[arg(long)]
    role: Option<String>,
    /// Print the pinned version of the skill's text
    #[arg(long)]
    text: bool,
}

pub(super) fn run(app: &mut App, args: &SkillArgs, output: &Output) -> Result<Exit, AppError> {
    let role = args.role.as_deref().map(role_named).transpose()?;
    let task = task_id(&args.task)?;
    if args.text {
        Output::text(&tasks::task_skill_text(
            &mut app.store,
            &app.context,
            &task,
            role,
        )?)?;
        return Ok(Exit::Done);
    }
    let choice = tasks::task_skill(&mut app.store, &app.context, &task, role)?;
    output.answer(&choice, || text::skill(&choice))?;
    Ok(Exit::Done)
}
