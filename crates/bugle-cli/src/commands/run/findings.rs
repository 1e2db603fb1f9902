//! `bugle run findings`

use bugle_app::{App, AppError, Exit, runs};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::{Output, print};

/// Show a review's findings
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run findings r-7f3a1c")]
pub(crate) struct FindingsArgs {
    #[command(flatten)]
    run: RunArgument,
}

pub(super) fn run(app: &mut App, args: &FindingsArgs, output: &Output) -> Result<Exit, AppError> {
    let view = runs::findings(&mut app.store, &app.context, &args.run.selector()?)?;
    let text = output
        .format()
        .of(&view, |format| bugle_render::findings(&view, format));
    print(&text)?;
    Ok(Exit::Done)
}
