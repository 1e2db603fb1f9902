//! `bugle run retry`

use bugle_app::{App, AppError, Exit, child_token, runs};
use clap::Args;

use crate::output::Output;

/// Restart a stopped sub-agent with the answer to its question
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run retry 'r-7f3a1c#12/2' --answer 'Use UTC'")]
pub(crate) struct RetryArgs {
    /// Sub-agent, as RUN#VISIT/NUMBER
    child: String,
    /// Answer to the sub-agent's question [default: read from the file named in the step]
    #[arg(long, value_name = "TEXT")]
    answer: Option<String>,
}

pub(super) fn run(app: &mut App, args: RetryArgs, output: &Output) -> Result<Exit, AppError> {
    let token = child_token(&args.child)?;
    Output::reply(
        runs::retry(&mut app.store, &app.context, &token, args.answer),
        output.format(),
    )
}
