//! `bugle task assign`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_changed;
use crate::commands::args::agent_name;
use crate::output::Output;

/// Give a task to somebody
#[derive(Debug, Args)]
pub(crate) struct AssignArgs {
    /// The task, or the beginning of its id
    task: String,
    /// Who it is given to
    #[arg(
        required_unless_present = "nobody",
        conflicts_with = "nobody",
        value_name = "NAME"
    )]
    agent: Option<String>,
    /// To nobody
    #[arg(long)]
    nobody: bool,
}

pub(super) fn run(app: &mut App, args: AssignArgs, output: &Output) -> Result<Exit, AppError> {
    let agent = args.agent.map(agent_name).transpose()?;
    let changed = tasks::change_task(
        &mut app.store,
        &app.context,
        &task_id(&args.task)?,
        &TaskCommand::Assign(agent),
    )?;
    print_changed(&changed, output)
}
