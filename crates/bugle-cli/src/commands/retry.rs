//! `bugle retry`

use bugle_app::{App, AppError, Exit, child_token, runs};
use clap::Args;

use super::args::FormatArgument;
use crate::output::Output;

/// Restart a stopped sub-agent with the answer to its question
#[derive(Debug, Args)]
pub(crate) struct RetryArgs {
    /// The sub-agent, as run#visit/number
    child: String,
    /// The answer to what it stopped at; without it, it is read from the file that the step named
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: RetryArgs, output: &Output) -> Result<Exit, AppError> {
    let token = child_token(&args.child)?;
    Output::reply(
        runs::retry(&mut app.store, &app.context, &token, args.answer),
        output.format(args.format.format),
    )
}
