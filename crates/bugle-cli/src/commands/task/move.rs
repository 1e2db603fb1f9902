//! `bugle task move`

use bugle_app::{App, AppError, Destination, Exit, Neighbour, task_id, tasks};
use clap::Args;

use super::print::print_changed;
use crate::output::Output;

/// Move a task and its subtasks
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task move t-9p1 --before t-4k2")]
pub(crate) struct MoveArgs {
    /// Task id or prefix
    task: String,
    #[command(flatten)]
    to: MoveChoices,
}

#[derive(Debug, Args)]
#[group(id = "where", required = true, multiple = true)]
struct MoveChoices {
    /// Move to the end of this task's subtasks
    #[arg(long, value_name = "TASK", conflicts_with_all = ["top", "before", "after"])]
    under: Option<String>,
    /// Move to the end of the top level
    #[arg(long, conflicts_with_all = ["before", "after", "first"])]
    top: bool,
    /// Move directly before this task
    #[arg(long, value_name = "TASK", conflicts_with_all = ["after", "first"])]
    before: Option<String>,
    /// Move directly after this task
    #[arg(long, value_name = "TASK", conflicts_with = "first")]
    after: Option<String>,
    /// Move before all siblings; with --under, before all subtasks of that task
    #[arg(long)]
    first: bool,
}

pub(super) fn run(app: &mut App, args: MoveArgs, output: &Output) -> Result<Exit, AppError> {
    let to = args.to;
    let destination = if let Some(under) = to.under {
        let under = task_id(&under)?;
        if to.first {
            Destination::FirstUnder(under)
        } else {
            Destination::Under(under)
        }
    } else if let Some(other) = to.before {
        Destination::Beside(Neighbour::Before(task_id(&other)?))
    } else if let Some(other) = to.after {
        Destination::Beside(Neighbour::After(task_id(&other)?))
    } else if to.first {
        Destination::Beside(Neighbour::First)
    } else {
        Destination::Top
    };
    let changed = tasks::move_task(&mut app.store, &app.context, &task_id(&args.task)?, &destination)?;
    print_changed(&changed, output)
}
