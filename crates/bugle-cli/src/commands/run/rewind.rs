//! `bugle run rewind`

use bugle_app::{App, AppError, Exit, RunSelector, runs, visit_token};
use clap::Args;

use crate::output::Output;

/// Go back to an earlier visit; history is kept
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run rewind 'r-7f3a1c#4'")]
pub(crate) struct RewindArgs {
    /// Visit to go back to, as RUN#VISIT
    visit: String,
}

pub(super) fn run(app: &mut App, args: &RewindArgs, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&args.visit)?;
    let to = token.visit;
    Output::reply(
        runs::rewind(&mut app.store, &app.context, &RunSelector::Visit(token), to),
        output.format(),
    )
}
