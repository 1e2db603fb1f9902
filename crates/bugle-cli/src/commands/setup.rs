//! `bugle setup`

use bugle_app::{AppError, Context, Exit, SetupOptions, SetupRequest, permit_at, setup};
use bugle_client::Client;
use bugle_client::setup::Scope;
use bugle_core::reply::SetupAction;
use bugle_core::rights::Action;
use bugle_render::setup as text;
use clap::Args;

use crate::client_argument::any_client;
use crate::output::Output;

/// Connect clients: hooks, MCP server, skills and agents
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle setup claude")]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
pub(crate) struct SetupArgs {
    /// Clients to set up
    #[arg(value_parser = any_client(), value_name = "CLIENT", required = true)]
    clients: Vec<Client>,
    /// Set up this project (default)
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// Set up the client for all your projects
    #[arg(long)]
    user: bool,
    /// Report missing or outdated parts, and exit with code 1 if there are any
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    check: bool,
    /// Remove everything that setup wrote
    #[arg(long)]
    remove: bool,
    /// Print the changes as a diff without writing them
    #[arg(long)]
    dry_run: bool,
    /// Also add a marked block to CLAUDE.md, AGENTS.md or GEMINI.md
    #[arg(long)]
    instructions: bool,
    /// Also show the run, step and task in the status line (Claude Code only)
    #[arg(long)]
    statusline: bool,
    /// Also list the files in .git/info/exclude, so that git ignores them in this clone
    #[arg(long, conflicts_with = "user")]
    git_exclude: bool,
}

pub(crate) fn run(ctx: &Context, args: &SetupArgs, output: &Output) -> Result<Exit, AppError> {
    let action = match args {
        SetupArgs { check: true, .. } => SetupAction::Check,
        SetupArgs { remove: true, .. } => SetupAction::Remove,
        _ => SetupAction::Setup,
    };
    if action == SetupAction::Remove && !args.dry_run {
        let names = args.clients.iter().map(|client| client.as_str());
        let command: Vec<&str> = ["setup"].into_iter().chain(names).chain(["--remove"]).collect();
        permit_at(ctx, Action::RemoveSetup, &command)?;
    }
    let mut exit = Exit::Done;
    for (index, client) in args.clients.iter().copied().enumerate() {
        let request = SetupRequest {
            client,
            scope: if args.user { Scope::User } else { Scope::Project },
            action,
            dry_run: args.dry_run,
            options: SetupOptions {
                instructions: args.instructions,
                status_line: args.statusline,
                git_exclude: args.git_exclude,
            },
        };
        let view = setup(ctx, &|name| std::env::var_os(name), &request)?;
        let separator = if index == 0 { "" } else { "\n" };
        output.answer(&view, || format!("{separator}{}", text::view(&view)))?;
        if !view.files.iter().all(|file| file.state.is_in_order()) {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}
