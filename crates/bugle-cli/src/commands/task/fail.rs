//! `bugle task fail`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Mark a task as failed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task fail t-4k2 --why \"The API does not support it\"")]
pub(crate) struct FailArgs {
    /// Task id or prefix
    task: String,
    /// Reason for the failure
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
