//! `bugle task rm`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Remove a task and its subtasks; history is kept
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task rm t-4k2")]
pub(crate) struct RmArgs {
    /// Task id or prefix
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
