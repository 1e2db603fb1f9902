//! `bugle task skip`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Leave a task out, with everything in it
#[derive(Debug, Args)]
pub(crate) struct SkipArgs {
    /// The task, or the beginning of its id
    task: String,
    /// Why
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
