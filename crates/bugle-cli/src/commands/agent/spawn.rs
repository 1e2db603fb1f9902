//! `bugle agent spawn`

use bugle_app::{App, AppError, Exit, SpawnRequest, supervisor, supervisor_process};
use bugle_client::Client;
use bugle_core::agent::Access;
use bugle_core::role::AgentRole;
use bugle_render::spawn as text;
use clap::Args;

use super::wait::wait_and_print;
use crate::commands::args::parse_role;
use crate::input::text_or_stdin;
use crate::output::Output;

/// Start an agent for a task and print the answer
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent spawn claude \"Review the login branch\" --name reviewer")]
pub(crate) struct SpawnArgs {
    /// Client to start: claude, codex, gemini, opencode, qwen, copilot or grok
    #[arg(value_parser = parse_client)]
    client: Client,
    /// Task for the agent (- for stdin)
    task: String,
    /// Agent name [default: a generated name]
    #[arg(long)]
    name: Option<String>,
    /// Agent role
    #[arg(long, value_parser = parse_role)]
    role: Option<AgentRole>,
    /// Model for the agent to use
    #[arg(long)]
    model: Option<String>,
    /// Access that needs no approval: read, write (in the agent's folder) or full
    #[arg(long, value_parser = parse_access, value_name = "ACCESS")]
    sandbox: Option<Access>,
    /// Give the agent its own git worktree and branch
    #[arg(long)]
    worktree: bool,
    /// Do not wait for the answer
    #[arg(long)]
    detach: bool,
    /// Extra arguments for the client
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

fn parse_client(name: &str) -> Result<Client, String> {
    Client::named(name).ok_or_else(|| format!("use one of {}", Client::ALL.map(Client::as_str).join(", ")))
}

fn parse_access(name: &str) -> Result<Access, String> {
    name.parse()
        .map_err(|()| format!("use one of {}", Access::ALL.map(Access::as_str).join(", ")))
}

pub(super) fn run(app: &mut App, args: SpawnArgs, output: &Output) -> Result<Exit, AppError> {
    let mut spawned = supervisor::spawn(
        &mut app.store,
        &app.context,
        &SpawnRequest {
            client: args.client,
            task: text_or_stdin(args.task)?,
            name: args.name,
            role: args.role,
            model: args.model,
            access: args.sandbox,
            arguments: args.arguments,
            worktree: args.worktree,
        },
    )?;
    if args.detach {
        spawned.view.notice = supervisor_process::ensure_supervisor(&app.context);
        output.answer(&spawned.view, || text::spawned(&spawned.view))?;
        return Ok(Exit::Done);
    }
    wait_and_print(app, spawned.runner, &spawned.view.agent, output)
}
