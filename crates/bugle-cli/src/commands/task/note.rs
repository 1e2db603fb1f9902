//! `bugle task note`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Add a note to a task
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task note t-4k2 \"Tests need a running server\"")]
pub(crate) struct NoteArgs {
    /// Task id or prefix
    task: String,
    /// Note to add
    text: String,
}

pub(super) fn run(app: &mut App, args: NoteArgs, output: &Output) -> Result<Exit, AppError> {
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Note(args.text),
    )?;
    print_changed(&changed, output)
}
