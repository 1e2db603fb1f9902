//! `bugle run cancel`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::Output;

/// Cancel a run; its history is kept
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run cancel r-7f3a1c --why \"No longer needed\"")]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Reason for cancelling the run
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(super) fn run(app: &mut App, args: &CancelArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::cancel(
        &mut app.store,
        &app.context,
        &args.run.selector()?,
        args.why.as_deref(),
    )?;
    output.line(&format!("Cancelled run {run}. Its history is kept."))?;
    Ok(Exit::Done)
}
