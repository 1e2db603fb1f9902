//! `bugle decide`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
use clap::Args;

use crate::output::Output;

/// Answer the question that a run is waiting on
///
/// For a gate that has reached its limit, the answer is continue, accept or abort.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle decide r-7f3a1c yes")]
pub(crate) struct DecideArgs {
    /// The run or visit that is waiting for the answer
    run: String,
    /// The answer [default: the file that the step named]
    answer: Option<String>,
    /// The reason; required to accept findings [default: the file that the step named]
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(crate) fn run(app: &mut App, args: DecideArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(Some(&args.run))?;
    Output::reply(
        runs::decide(&mut app.store, &app.context, &selector, args.answer, args.why),
        output.format(),
    )
}
