//! `bugle setup`

use bugle_app::{AppError, Context, Exit, SetupOptions, SetupRequest, clients_set_up, permit_at, setup};
use bugle_client::Client;
use bugle_client::setup::Scope;
use bugle_core::reply::{SetupAction, SetupList};
use bugle_core::rights::Action;
use bugle_render::doctor::no_client;
use bugle_render::setup as text;
use clap::Args;

use crate::client_argument::any_client;
use crate::output::Output;

/// Connect clients: hooks, MCP server, skills and agents
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle setup claude")]
#[expect(clippy::struct_excessive_bools, reason = "each field is a command-line flag")]
pub(crate) struct SetupArgs {
    /// Clients to set up [default with --check: every client that is set up]
    #[arg(value_parser = any_client(), value_name = "CLIENT")]
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
    let scope = if args.user { Scope::User } else { Scope::Project };
    let variables = |name: &str| std::env::var_os(name);
    let clients = match (args.clients.as_slice(), action) {
        ([], SetupAction::Check) => clients_set_up(ctx, &variables, scope),
        (named, _) => named.to_vec(),
    };
    if clients.is_empty() {
        return Err(missing_client(ctx, action, scope));
    }
    if action == SetupAction::Remove && !args.dry_run {
        let names = clients.iter().map(|client| client.as_str());
        let command: Vec<&str> = ["setup"].into_iter().chain(names).chain(["--remove"]).collect();
        permit_at(ctx, Action::RemoveSetup, &command)?;
    }
    let requests = clients.into_iter().map(|client| SetupRequest {
        client,
        scope,
        action,
        dry_run: args.dry_run,
        options: SetupOptions {
            instructions: args.instructions,
            status_line: args.statusline,
            git_exclude: args.git_exclude,
        },
    });
    let requests: Vec<SetupRequest> = requests.collect();
    let list = SetupList {
        clients: setup(ctx, &variables, &requests)?,
    };
    match list.clients.as_slice() {
        // For a single client, the JSON output is one object instead of a list.
        [view] if args.clients.len() == 1 => output.answer(view, || text::view(view))?,
        _ => output.answer(&list, || text::list(&list))?,
    }
    let mut files = list.clients.iter().flat_map(|view| &view.files);
    Ok(if files.all(|file| file.state.is_in_order()) {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The error for a command without a client.
fn missing_client(ctx: &Context, action: SetupAction, scope: Scope) -> AppError {
    let mut words = vec!["setup", "CLIENT"];
    words.extend((scope == Scope::User).then_some("--user"));
    let hints = vec![no_client(&ctx.command(&words), &Client::ALL.map(Client::as_str))];
    match action {
        SetupAction::Check => AppError::Text {
            what: format!("no client is set up ({})", scope.as_str()),
            hints,
        },
        SetupAction::Setup | SetupAction::Remove => AppError::Usage {
            what: "the command does not name a client".to_owned(),
            hints,
        },
    }
}
