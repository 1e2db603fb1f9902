//! `bugle task depend`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Make a task depend on other tasks, or remove dependencies
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task depend t-9p1 t-4k2")]
pub(crate) struct DependArgs {
    /// Task id or prefix
    task: String,
    /// Ids or prefixes of the tasks to depend on
    #[arg(required = true, value_name = "ON")]
    on: Vec<String>,
    /// Remove dependencies (only the user can remove those that come from a plan's order)
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
