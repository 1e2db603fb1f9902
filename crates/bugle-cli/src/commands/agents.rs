//! `bugle agents`

use bugle_app::{AgentScope, App, AppError, Exit, agent_list};
use bugle_render::agent as text;
use clap::Args;

use crate::output::Output;

/// List the agents by project and branch, with how each stands
#[derive(Debug, Args)]
pub(crate) struct AgentsArgs {
    /// Those of all projects, and those that were put aside
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(app: &mut App, args: &AgentsArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = if args.all {
        AgentScope::All
    } else {
        AgentScope::Here
    };
    let list = agent_list::agents(&mut app.store, &app.context, scope)?;
    output.answer(&list, || text::list(&list, output.width()))?;
    Ok(Exit::Done)
}
