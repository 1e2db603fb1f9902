//! `bugle resume`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::{FormatArgument, RunArgument};
use crate::output::Output;

/// Take a run up again, from whichever session has it, and print its current step
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    run: RunArgument,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &ResumeArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::resume(&mut app.store, &app.context, &selector),
        output.format(args.format.format),
    )
}
