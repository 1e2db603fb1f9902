//! `bugle task done`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Mark a task as done and print the next one
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task done t-4k2 --note \"The parser is in src/parse.rs\"")]
pub(crate) struct DoneArgs {
    /// Task id or prefix
    task: String,
    /// Note for later tasks
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

pub(super) fn run(app: &mut App, args: DoneArgs, output: &Output) -> Result<Exit, AppError> {
    let note = args.note.map(TaskCommand::Note);
    let commands: Vec<TaskCommand> = note.into_iter().chain([TaskCommand::Done]).collect();
    let changed = tasks::change_task_by(&mut app.store, &app.context, &task_id(&args.task)?, &commands)?;
    print_changed(&changed, output)
}
