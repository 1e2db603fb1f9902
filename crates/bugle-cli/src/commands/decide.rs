//! `bugle decide`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
use clap::Args;

use super::args::FormatArgument;
use crate::output::Output;

/// Answer the question that a run waits on, or decide about a review
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The run or the visit that asks
    run: String,
    /// The answer; without it, it is read from the file that the step named
    answer: Option<String>,
    /// The reason of a decision about a review; without it, it is read from the file that the step named
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: DecideArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(Some(&args.run))?;
    Output::reply(
        runs::decide(&mut app.store, &app.context, &selector, args.answer, args.why),
        output.format(args.format.format),
    )
}
