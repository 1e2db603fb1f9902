//! `bugle task skip`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Skip a task and its subtasks
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task skip t-4k2 --why \"Covered by t-9p1\"")]
pub(crate) struct SkipArgs {
    /// Task id or prefix
    task: String,
    /// Reason for skipping the task
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(super) fn run(app: &mut App, args: SkipArgs, output: &Output) -> Result<Exit, AppError> {
    let reason = args.why;
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Skip { reason },
    )?;
    print_changed(&changed, output)
}
