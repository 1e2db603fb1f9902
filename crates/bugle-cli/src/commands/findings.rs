//! `bugle findings`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use super::args::{FormatArgument, RunArgument};
use crate::output::{Output, print};

/// Show what a review found
#[derive(Debug, Args)]
pub(crate) struct FindingsArgs {
    #[command(flatten)]
    run: RunArgument,
    #[command(flatten)]
    format: FormatArgument,
}

pub(crate) fn run(app: &mut App, args: &FindingsArgs, output: &Output) -> Result<Exit, AppError> {
    let view = runs::findings(&mut app.store, &app.context, &args.run.selector()?)?;
    print(&bugle_render::findings(&view, output.format(args.format.format)))?;
    Ok(Exit::Done)
}
