//! `bugle task show`

use bugle_app::{App, AppError, Exit, Extent};
use clap::Args;

use super::print::print_task;
use crate::output::Output;

/// Show a task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task show t-4k2 --full")]
pub(crate) struct ShowArgs {
    /// Task id or prefix
    task: String,
    /// Include notes, subtasks, plan text and history
    #[arg(long)]
    full: bool,
}

pub(super) fn run(app: &mut App, args: &ShowArgs, output: &Output) -> Result<Exit, AppError> {
    let extent = if args.full { Extent::Full } else { Extent::Brief };
    print_task(app, &args.task, extent, None, output)
}
