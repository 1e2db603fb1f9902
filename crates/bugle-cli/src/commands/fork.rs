//! `bugle fork`

use bugle_app::{App, AppError, Exit, RunSelector, runs, visit_token};
use clap::Args;

use super::args::FormatArgument;
use crate::output::Output;

/// Start a new run that begins where another one entered a visit
#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The visit, as run#number
    visit: String,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &ForkArgs, output: &Output) -> Result<Exit, AppError> {
    let token = visit_token(&args.visit)?;
    let at = token.visit;
    Output::reply(
        runs::fork(&mut app.store, &app.context, &RunSelector::Visit(token), at),
        output.format(args.format.format),
    )
}
