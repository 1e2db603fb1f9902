//! `bugle agent list`

use bugle_app::{AgentScope, App, AppError, Exit, agent_list};
use bugle_render::agent as text;
use clap::Args;

use crate::output::Output;

/// List agents by project and branch
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent list --all")]
pub(crate) struct AgentsArgs {
    /// Include archived agents and agents in other projects
    #[arg(long)]
    all: bool,
}

pub(super) fn run(app: &mut App, args: &AgentsArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = if args.all {
        AgentScope::All
    } else {
        AgentScope::Here
    };
    let list = agent_list::agents(&mut app.store, &app.context, scope)?;
    output.answer(&list, || text::list(&list, output.width()))?;
    Ok(Exit::Done)
}
