//! `bugle task reopen`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Reopen, release or restore a task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task reopen t-4k2")]
pub(crate) struct ReopenArgs {
    /// Task id or prefix
    task: String,
}

pub(super) fn run(app: &mut App, args: &ReopenArgs, output: &Output) -> Result<Exit, AppError> {
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Reopen,
    )?;
    print_changed(&changed, output)
}
