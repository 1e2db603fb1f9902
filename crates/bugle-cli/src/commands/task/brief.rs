//! `bugle task brief`

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::Args;

use crate::commands::args::role_named;
use crate::output::Output;

/// Print a sub-agent's brief for one task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task brief t-4k2 --role developer")]
pub(crate) struct BriefArgs {
    /// Task id or prefix, or a visit of the task's run as RUN#VISIT
    #[arg(value_name = "TASK|VISIT")]
    target: String,
    /// Sub-agent role
    #[arg(long, default_value = "developer")]
    role: String,
    /// Extra context to include in the brief
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
}

pub(super) fn run(app: &mut App, args: BriefArgs, output: &Output) -> Result<Exit, AppError> {
    let role = role_named(&args.role)?;
    let view = wakeup::brief(&mut app.store, &app.context, &args.target, role, args.context)?;
    output.answer(&view, || text::brief(&view))?;
    Ok(Exit::Done)
}
