//! `bugle task list`

use bugle_app::{App, AppError, Exit, TaskScope, tasks};
use bugle_render::task as text;
use clap::Args;

use crate::output::Output;

/// Show the tasks as a tree
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Only this task or plan and what lies in it
    #[arg(value_name = "TASK|PLAN")]
    within: Option<String>,
    /// Also trees that are closed as a whole
    #[arg(long)]
    all: bool,
    /// What was taken out of the tree instead; `reopen` puts it back
    #[arg(long, conflicts_with_all = ["within", "all"])]
    removed: bool,
    /// How many lines at most
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
    output.answer(&tree, || text::tree(&tree))?;
    Ok(Exit::Done)
}
