//! `bugle agent`

mod attach;
mod interrupt;
mod kill;
mod list;
mod logs;
mod prompt;
mod recover;
mod result;
mod spawn;
mod wait;

use bugle_app::{App, AppError, Exit, RegisterRequest, agent_list, agents};
use bugle_core::role::AgentRole;
use bugle_render::agent as text;
use clap::{Args, Subcommand};

use crate::commands::args::parse_role;
use crate::local_time::local_time;
use crate::output::Output;

/// List, start and control agents
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle agent list")]
pub(crate) enum AgentCommand {
    List(list::AgentsArgs),
    /// Show an agent
    #[command(after_help = "Example:\n  bugle agent show reviewer")]
    Show(AgentArgument),
    /// Archive an agent until it receives a message
    #[command(after_help = "Example:\n  bugle agent archive reviewer")]
    Archive(AgentArgument),
    /// Name this session's agent, or add an agent without a session
    Register(RegisterArgs),
    Spawn(spawn::SpawnArgs),
    Prompt(prompt::PromptArgs),
    Logs(logs::LogsArgs),
    Result(result::ResultArgs),
    Attach(attach::AttachArgs),
    Interrupt(interrupt::InterruptArgs),
    Kill(kill::KillArgs),
    Recover(recover::RecoverArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AgentArgument {
    /// Agent name or prefix, branch:name or project:branch:name
    name: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent register reviewer --role quality-reviewer")]
pub(crate) struct RegisterArgs {
    /// Agent name [default: the current name or a generated name]
    name: Option<String>,
    /// Agent role
    #[arg(long, value_parser = parse_role)]
    role: Option<AgentRole>,
    /// Client that the agent runs in
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
}

pub(crate) fn run(mut app: App, command: AgentCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        AgentCommand::Logs(args) => return logs::run(app, &args, output),
        AgentCommand::List(args) => return list::run(&mut app, &args, output),
        AgentCommand::Spawn(args) => return spawn::run(&mut app, args, output),
        AgentCommand::Prompt(args) => return prompt::run(&mut app, args, output),
        AgentCommand::Result(args) => return result::run(&mut app, &args, output),
        AgentCommand::Attach(args) => return attach::run(&mut app, &args),
        AgentCommand::Interrupt(args) => return interrupt::run(&mut app, &args, output),
        AgentCommand::Kill(args) => return kill::run(&mut app, &args, output),
        AgentCommand::Recover(args) => return recover::run(&mut app, &args, output),
        AgentCommand::Show(args) => {
            let detail = agent_list::show_agent(&mut app.store, &app.context, &args.name)?;
            output.answer(&detail, || text::detail(&detail, &local_time))?;
        }
        AgentCommand::Archive(args) => {
            let address = agent_list::archive_agent(&mut app.store, &app.context, &args.name)?;
            output.line(&format!(
                "Archived {address}. The next message to this agent brings it back."
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
            output.line(&format!("Registered {address}."))?;
        }
    }
    Ok(Exit::Done)
}
