//! `bugle runs`

use bugle_app::{App, AppError, Exit, runs};
use bugle_render::run as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// List the runs of this project
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// The runs of all projects
    #[arg(long)]
    all: bool,
    /// Only runs that can still go on
    #[arg(long)]
    open: bool,
    /// How many are listed at most
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: u32,
}

pub(crate) fn run(app: &mut App, args: &RunsArgs, output: &Output) -> Result<Exit, AppError> {
    let list = runs::runs(&mut app.store, &app.context, args.all, args.open, args.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
