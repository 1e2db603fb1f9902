//! `bugle setup`

use bugle_app::{AppError, Context, Exit, SetupRequest, permit_at, setup};
use bugle_client::Client;
use bugle_client::setup::Scope;
use bugle_core::rights::Action;
use bugle_render::setup as text;
use bugle_wire::SetupAction;
use clap::Args;

use crate::client_argument::any_client;
use crate::output::Output;

/// Set a client up: hooks, MCP server, skills and agents; or check that, or take it out again
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that can be given or not"
)]
pub(crate) struct SetupArgs {
    /// The client
    #[arg(value_parser = any_client())]
    client: Client,
    /// For this project; the default
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// For all of your projects
    #[arg(long)]
    user: bool,
    /// Say what is there, what is missing and what is outdated; exit 1 if something is to be done
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    check: bool,
    /// Take everything out again; files that were not touched since are then as they were before
    #[arg(long)]
    remove: bool,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Also write a marked block into CLAUDE.md, AGENTS.md or GEMINI.md
    #[arg(long)]
    instructions: bool,
    /// Also show the run, the step and the task in the status line, if nobody else has it; Claude Code only
    #[arg(long)]
    statusline: bool,
}

pub(crate) fn run(ctx: &Context, args: &SetupArgs, output: &Output) -> Result<Exit, AppError> {
    let action = match args {
        SetupArgs { check: true, .. } => SetupAction::Check,
        SetupArgs { remove: true, .. } => SetupAction::Remove,
        _ => SetupAction::Setup,
    };
    if action == SetupAction::Remove && !args.dry_run {
        let command = ["setup", args.client.as_str(), "--remove"];
        permit_at(ctx, Action::RemoveSetup, &command)?;
    }
    let request = SetupRequest {
        client: args.client,
        scope: if args.user { Scope::User } else { Scope::Project },
        action,
        dry_run: args.dry_run,
        instructions: args.instructions,
        status_line: args.statusline,
    };
    let view = setup(ctx, &|name| std::env::var_os(name), &request)?;
    output.answer(&view, || text::view(&view))?;
    let in_order = view.files.iter().all(|file| file.state.is_in_order());
    Ok(if in_order { Exit::Done } else { Exit::Failed })
}
