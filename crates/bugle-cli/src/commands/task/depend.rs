//! `bugle task depend`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Have a task wait for others
#[derive(Debug, Args)]
pub(crate) struct DependArgs {
    /// The task that waits
    task: String,
    /// What it waits for
    #[arg(required = true, value_name = "ON")]
    on: Vec<String>,
    /// Remove the dependencies instead; also frees a task from the order of its plan (user only)
    #[arg(long)]
    no_more: bool,
}

pub(super) fn run(app: &mut App, args: &DependArgs, output: &Output) -> Result<Exit, AppError> {
    let on: Vec<_> = args.on.iter().map(|on| task_id(on)).collect::<Result<_, _>>()?;
    let changed = tasks::depend_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &on,
        args.no_more,
    )?;
    print_changed(&changed, output)
}
