//! `bugle run resume`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::Output;

/// Resume a run in this session and print its current step
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run resume r-7f3a1c")]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    run: RunArgument,
}

pub(super) fn run(app: &mut App, args: &ResumeArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::resume(&mut app.store, &app.context, &selector),
        output.format(),
    )
}
