//! `bugle run fork`

use bugle_app::{App, AppError, Exit, RunSelector, runs, visit_token};
use clap::Args;

use crate::output::Output;

/// Start a new run from an earlier visit of another run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run fork 'r-7f3a1c#4'")]
pub(crate) struct ForkArgs {
    /// Visit to start from, as RUN#VISIT
    visit: String,
}

pub(super) fn run(app: &mut App, args: &ForkArgs, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&args.visit)?;
    let at = token.visit;
    Output::reply(
        runs::fork(&mut app.store, &app.context, &RunSelector::Visit(token), at),
        output.format(),
    )
}
