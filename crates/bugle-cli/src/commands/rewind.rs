//! `bugle rewind`

use bugle_app::{App, AppError, Exit, RunSelector, runs, visit_token};
use clap::Args;

use super::args::FormatArgument;
use crate::output::Output;

/// Go back to an earlier visit; history is kept
#[derive(Debug, Args)]
pub(crate) struct RewindArgs {
    /// The visit, as run#number
    visit: String,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &RewindArgs, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&args.visit)?;
    let to = token.visit;
    Output::reply(
        runs::rewind(&mut app.store, &app.context, &RunSelector::Visit(token), to),
        output.format(args.format.format),
    )
}
