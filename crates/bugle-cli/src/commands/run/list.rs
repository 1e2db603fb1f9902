//! `bugle run list`

use bugle_app::{App, AppError, Exit, runs};
use bugle_render::run as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// List runs
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run list --open")]
pub(crate) struct RunsArgs {
    /// List runs from all projects
    #[arg(long)]
    all: bool,
    /// List only runs that have not ended
    #[arg(long)]
    open: bool,
    /// Show at most NUMBER runs
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: u32,
}

pub(super) fn run(app: &mut App, args: &RunsArgs, output: &Output) -> Result<Exit, AppError> {
    let list = runs::runs(&mut app.store, &app.context, args.all, args.open, args.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
