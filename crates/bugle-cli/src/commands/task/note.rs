//! `bugle task note`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Keep a note with a task; earlier notes stay
#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// The task, or the beginning of its id
    task: String,
    /// What is worth keeping
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
