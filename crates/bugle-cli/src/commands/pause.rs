//! `bugle pause`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::RunArgument;
use crate::output::Output;

/// Put a run aside
#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(crate) fn run(app: &mut App, args: &PauseArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::pause(
        &mut app.store,
        &app.context,
        &args.run.selector()?,
        args.why.as_deref(),
    )?;
    output.line(&format!("Run {run} is paused."))?;
    Ok(Exit::Done)
}
