//! `bugle step`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
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

impl StepArgs {
    pub(crate) fn selector(&self) -> Result<RunSelector, AppError> {
        self.run.selector()
    }
}

pub(crate) fn run(app: &mut App, args: &StepArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.selector()?;
    Output::reply(
        runs::step(&mut app.store, &app.context, &selector),
        output.format(),
    )
}
