//! `bugle task move`

use bugle_app::{App, AppError, Destination, Exit, Neighbour, task_id, tasks};
use clap::Args;

use super::print_changed;
use crate::output::Output;

/// Move a task, with everything in it
#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The task, or the beginning of its id
    task: String,
    #[command(flatten)]
    to: MoveChoices,
}

#[derive(Debug, Args)]
#[group(id = "where", required = true, multiple = true)]
struct MoveChoices {
    /// Into this task, behind what is there
    #[arg(long, value_name = "TASK", conflicts_with_all = ["top", "before", "after"])]
    under: Option<String>,
    /// To the top, behind all others
    #[arg(long, conflicts_with_all = ["before", "after", "first"])]
    top: bool,
    /// Right before this task
    #[arg(long, value_name = "TASK", conflicts_with_all = ["after", "first"])]
    before: Option<String>,
    /// Right behind this task
    #[arg(long, value_name = "TASK", conflicts_with = "first")]
    after: Option<String>,
    /// Before all its siblings; with --under, before what is there
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
