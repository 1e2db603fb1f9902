//! `bugle spawn`

use bugle_app::{App, AppError, Exit, SpawnRequest, supervisor, supervisor_process};
use bugle_client::Client;
use bugle_client::launch::Access;
use bugle_core::role::AgentRole;
use bugle_render::spawn as text;
use clap::Args;

use super::agent_result::wait_and_print;
use super::args::parse_role;
use crate::input::text_or_stdin;
use crate::output::Output;

/// Start an agent for a task and print its answer; --detach does not wait
#[derive(Debug, Args)]
pub(crate) struct SpawnArgs {
    /// In which client: claude, codex, gemini or opencode
    #[arg(value_parser = parse_client)]
    client: Client,
    /// What it is to do; - is standard input
    task: String,
    /// How it is called; without it, a name is made up
    #[arg(long)]
    name: Option<String>,
    /// Its role
    #[arg(long, value_parser = parse_role)]
    role: Option<AgentRole>,
    /// The model that the client is to use
    #[arg(long)]
    model: Option<String>,
    /// What its tools may do without somebody being asked: read, write (in its folder) or full
    #[arg(long, value_parser = parse_access, value_name = "ACCESS")]
    sandbox: Option<Access>,
    /// In a work tree and on a branch of its own
    #[arg(long)]
    worktree: bool,
    /// Do not wait for it
    #[arg(long)]
    detach: bool,
    /// More words for the client, as they are: what it may do without being asked, for example
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

fn parse_client(name: &str) -> Result<Client, String> {
    Client::named(name).ok_or_else(|| Client::ALL.map(Client::as_str).join(", "))
}

fn parse_access(name: &str) -> Result<Access, String> {
    Access::named(name).ok_or_else(|| Access::ALL.map(Access::as_str).join(", "))
}

pub(crate) fn run(app: &mut App, args: SpawnArgs, output: &Output) -> Result<Exit, AppError> {
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
