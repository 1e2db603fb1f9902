//! `bugle brief`

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::Args;

use super::args::role_named;
use crate::output::Output;

/// Print a sub-agent's brief for one task: its role, the task, the shared rules and the report to return
#[derive(Debug, Args)]
pub(crate) struct BriefArgs {
    /// The task, or a visit of the run that has it, as run#visit
    #[arg(value_name = "TASK|VISIT")]
    target: String,
    /// The role that the sub-agent takes
    #[arg(long, default_value = "developer")]
    role: String,
    /// What you want to tell it besides
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
}

pub(crate) fn run(app: &mut App, args: BriefArgs, output: &Output) -> Result<Exit, AppError> {
    let role = role_named(&args.role)?;
    let view = wakeup::brief(&mut app.store, &app.context, &args.target, role, args.context)?;
    output.answer(&view, || text::brief(&view))?;
    Ok(Exit::Done)
}
