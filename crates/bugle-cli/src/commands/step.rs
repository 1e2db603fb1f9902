//! `bugle step`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::{FormatArgument, RunArgument};
use crate::output::Output;

/// Print the current step again
#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    run: RunArgument,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &StepArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::step(&mut app.store, &app.context, &selector),
        output.format(args.format.format),
    )
}
