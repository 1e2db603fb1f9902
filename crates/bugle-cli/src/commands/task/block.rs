//! `bugle task block`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Mark a task as blocked by something outside the plan
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task block t-4k2 --why \"Waiting for access\"")]
pub(crate) struct BlockArgs {
    /// Task id or prefix
    task: String,
    /// Reason why the task is blocked
    #[arg(long, value_name = "TEXT")]
    why: String,
}

pub(super) fn run(app: &mut App, args: BlockArgs, output: &Output) -> Result<Exit, AppError> {
    let reason = args.why;
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Block { reason },
    )?;
    print_changed(&changed, output)
}
