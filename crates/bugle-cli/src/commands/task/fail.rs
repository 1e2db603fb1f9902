//! `bugle task fail`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Say that a task could not be finished
#[derive(Debug, Args)]
pub(crate) struct FailArgs {
    /// The task, or the beginning of its id
    task: String,
    /// Why
    #[arg(long, value_name = "TEXT")]
    why: String,
}

pub(super) fn run(app: &mut App, args: FailArgs, output: &Output) -> Result<Exit, AppError> {
    let reason = args.why;
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Fail { reason },
    )?;
    print_changed(&changed, output)
}
