//! `bugle task start`

use bugle_app::{App, AppError, Exit, Extent, task_id, tasks};
use bugle_core::task::TaskCommand;
use clap::Args;

use super::print_task;
use crate::commands::args::agent_name;
use crate::output::Output;

/// Begin a task, and print what is needed to do it
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The task, or the beginning of its id
    task: String,
    /// Who begins it; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    agent: Option<String>,
    /// Even if somebody else is at it
    #[arg(long)]
    take_over: bool,
}

pub(super) fn run(app: &mut App, args: StartArgs, output: &Output) -> Result<Exit, AppError> {
    let agent = args.agent.map(agent_name).transpose()?;
    let command = TaskCommand::Start {
        agent: agent.clone(),
        run: None,
        take_over: args.take_over,
    };
    tasks::change_task(&mut app.store, &app.context, &task_id(&args.task)?, &command)?;
    print_task(app, &args.task, Extent::Work, agent.as_ref(), output)
}
