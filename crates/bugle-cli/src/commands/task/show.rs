//! `bugle task show`

use bugle_app::{App, AppError, Exit, Extent};
use clap::Args;

use super::print_task;
use crate::output::Output;

/// Show a task and where it stands
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The task, or the beginning of its id
    task: String,
    /// With all notes, what lies in it, the plan's text and all that happened
    #[arg(long)]
    full: bool,
}

pub(super) fn run(app: &mut App, args: &ShowArgs, output: &Output) -> Result<Exit, AppError> {
    let extent = if args.full { Extent::Full } else { Extent::Brief };
    print_task(app, &args.task, extent, None, output)
}
