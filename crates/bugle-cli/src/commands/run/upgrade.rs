//! `bugle run upgrade`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::Output;

/// Move a run to the installed version of its skill
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run upgrade r-7f3a1c")]
pub(crate) struct UpgradeArgs {
    #[command(flatten)]
    run: RunArgument,
}

pub(super) fn run(app: &mut App, args: &UpgradeArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    Output::reply(
        runs::upgrade(&mut app.store, &app.context, &selector),
        output.format(),
    )
}
