//! `bugle task assign`

use bugle_app::{App, AppError, Exit, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print::print_changed;
use crate::commands::args::agent_name;
use crate::output::Output;

/// Assign a task to an agent, or unassign it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task assign t-4k2 reviewer")]
pub(crate) struct AssignArgs {
    /// Task id or prefix
    task: String,
    /// Name of the agent
    #[arg(
        required_unless_present = "unassign",
        conflicts_with = "unassign",
        value_name = "NAME"
    )]
    agent: Option<String>,
    /// Unassign the task
    #[arg(long, alias = "nobody")]
    unassign: bool,
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
