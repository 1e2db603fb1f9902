//! `bugle upgrade`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::{FormatArgument, RunArgument};
use crate::output::Output;

/// Move a run to the version of its skill that is installed now
#[derive(Debug, Args)]
pub(crate) struct UpgradeArgs {
    #[command(flatten)]
    run: RunArgument,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &UpgradeArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::upgrade(&mut app.store, &app.context, &selector),
        output.format(args.format.format),
    )
}
