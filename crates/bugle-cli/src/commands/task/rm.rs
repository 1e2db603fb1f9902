//! `bugle task rm`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Take a task out of the tree, with everything in it; its history stays
#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// The task, or the beginning of its id
    task: String,
}

pub(super) fn run(app: &mut App, args: &RmArgs, output: &Output) -> Result<Exit, AppError> {
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Remove,
    )?;
    print_changed(&changed, output)
}
