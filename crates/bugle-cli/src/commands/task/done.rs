//! `bugle task done`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Say that a task is done; the answer says what comes next
#[derive(Debug, Args)]
pub(crate) struct DoneArgs {
    /// The task, or the beginning of its id
    task: String,
    /// Keep a note with it: what later tasks should know
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

pub(super) fn run(app: &mut App, args: DoneArgs, output: &Output) -> Result<Exit, AppError> {
    let note = args.note.map(TaskCommand::Note);
    let commands: Vec<TaskCommand> = note.into_iter().chain([TaskCommand::Done]).collect();
    let changed = tasks::change_task_by(&mut app.store, &app.context, &task_id(&args.task)?, &commands)?;
    print_changed(&changed, output)
}
