//! `bugle agent`

use bugle_app::{App, AppError, Exit, RegisterRequest, agent_list, agents};
use bugle_core::role::AgentRole;
use bugle_render::agent as text;
use clap::{Args, Subcommand};

use super::args::parse_role;
use crate::local_time::local_time;
use crate::output::Output;

/// Show, name and put aside agents
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Show an agent and everything about it
    Show(AgentArgument),
    /// Archive an agent; a message to it brings it back
    Archive(AgentArgument),
    /// Give the agent of this session a name, or make one known that has no session
    Register(RegisterArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AgentArgument {
    /// The agent: its name, the beginning of it, branch:name or project:branch:name
    name: String,
}

#[derive(Debug, Args)]
pub(crate) struct RegisterArgs {
    /// How it is called; without it, it keeps its name or gets one
    name: Option<String>,
    /// Its role
    #[arg(long, value_parser = parse_role)]
    role: Option<AgentRole>,
    /// Its client
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

pub(crate) fn run(app: &mut App, command: AgentCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        AgentCommand::Show(args) => {
            let detail = agent_list::show_agent(&mut app.store, &app.context, &args.name)?;
            output.answer(&detail, || text::detail(&detail, &local_time))?;
        }
        AgentCommand::Archive(args) => {
            let address = agent_list::archive_agent(&mut app.store, &app.context, &args.name)?;
            output.line(&format!(
                "{address} is put aside. It comes back when somebody speaks to it."
            ))?;
        }
        AgentCommand::Register(args) => {
            let address = agents::register(
                &mut app.store,
                &app.context,
                &RegisterRequest {
                    name: args.name,
                    role: args.role,
                    client: args.client,
                },
            )?;
            output.line(&format!("{address} is known from now on."))?;
        }
    }
    Ok(Exit::Done)
}
