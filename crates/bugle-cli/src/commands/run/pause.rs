//! `bugle run pause`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::Output;

/// Pause a run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run pause r-7f3a1c --why \"Waiting for the release\"")]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Reason for pausing the run
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(super) fn run(app: &mut App, args: &PauseArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::pause(
        &mut app.store,
        &app.context,
        &args.run.selector()?,
        args.why.as_deref(),
    )?;
    output.line(&format!("Paused run {run}."))?;
    Ok(Exit::Done)
}
