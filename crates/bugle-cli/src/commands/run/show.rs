//! `bugle run show`

use bugle_app::{App, AppError, Exit, runs};
use bugle_render::run as text;
use clap::Args;

use crate::commands::args::RunArgument;
use crate::local_time::local_time;
use crate::output::Output;

/// Show a run with its timeline
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run show r-7f3a1c")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    run: RunArgument,
}

pub(super) fn run(app: &mut App, args: &ShowArgs, output: &Output) -> Result<Exit, AppError> {
    let detail = runs::show(&mut app.store, &app.context, &args.run.selector()?)?;
    output.answer(&detail, || text::detail(&detail, &local_time))?;
    Ok(Exit::Done)
}
