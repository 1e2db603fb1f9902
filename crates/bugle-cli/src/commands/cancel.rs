//! `bugle cancel`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::RunArgument;
use crate::output::Output;

/// Give a run up; its history stays
#[derive(Debug, Args)]
pub(crate) struct CancelArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(crate) fn run(app: &mut App, args: &CancelArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::cancel(
        &mut app.store,
        &app.context,
        &args.run.selector()?,
        args.why.as_deref(),
    )?;
    output.line(&format!("Run {run} is cancelled; its history stays."))?;
    Ok(Exit::Done)
}
