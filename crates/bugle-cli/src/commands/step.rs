//! `bugle step`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::RunArgument;
use crate::output::Output;

/// Print the current step of a run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle step r-7f3a1c")]
pub(crate) struct StepArgs {
    #[command(flatten)]
    run: RunArgument,
}

pub(crate) fn run(app: &mut App, args: &StepArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::step(&mut app.store, &app.context, &selector),
        output.format(),
    )
}
