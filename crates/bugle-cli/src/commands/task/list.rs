//! `bugle task list`

use bugle_app::{App, AppError, Exit, TaskScope, tasks};
use bugle_render::task as text;
use clap::Args;

use crate::output::Output;

/// Show tasks as a tree
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task list --all")]
pub(crate) struct ListArgs {
    /// Id or prefix of a task or plan [default: the whole project]
    #[arg(value_name = "TASK|PLAN")]
    within: Option<String>,
    /// Include task trees without open tasks
    #[arg(long)]
    all: bool,
    /// Show only removed tasks, which `bugle task reopen` restores
    #[arg(long, conflicts_with_all = ["within", "all"])]
    removed: bool,
    /// Show at most NUMBER lines
    #[arg(long, value_name = "NUMBER", default_value_t = 300)]
    limit: u32,
}

pub(super) fn run(app: &mut App, args: &ListArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = TaskScope::parse(args.within.as_deref())?;
    let tree = if args.removed {
        tasks::removed_tasks(&mut app.store, &app.context, args.limit)?
    } else {
        tasks::task_tree(&mut app.store, &app.context, &scope, args.all, args.limit)?
    };
    output.answer(&tree, || text::tree(&tree, app.context.interface))?;
    Ok(Exit::Done)
}
