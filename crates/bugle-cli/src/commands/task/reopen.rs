//! `bugle task reopen`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Open a closed task again, let go of one, or put back one that was taken out
#[derive(Debug, Args)]
pub(crate) struct ReopenArgs {
    /// The task, or the beginning of its id
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
