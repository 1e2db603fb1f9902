//! `bugle task start`

use bugle_app::{App, AppError, Exit, Extent, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_task;
use crate::commands::args::acting_agent;
use crate::output::Output;

/// Start a task and print it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task start t-4k2")]
pub(crate) struct StartArgs {
    /// Task id or prefix
    task: String,
    /// Take the task over from another agent
    #[arg(long)]
    take_over: bool,
}

pub(super) fn run(app: &mut App, args: &StartArgs, output: &Output) -> Result<Exit, AppError> {
    let agent = acting_agent(&app.context)?;
    let command = TaskCommand::Start {
        agent: agent.clone(),
        run: None,
        take_over: args.take_over,
    };
    tasks::change_task(&mut app.store, &app.context, &task_id(&args.task)?, &command)?;
    print_task(app, &args.task, Extent::Work, agent.as_ref(), output)
}
