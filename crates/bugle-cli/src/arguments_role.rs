//! What can be said after `bugle role`. The comments are the help.

use std::path::PathBuf;

use bugle_render::role::Client;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum RoleCommand {
    /// List every role: where it comes from, its tools, its model
    List,
    /// Show a role with all that it is told
    Show(RoleName),
    /// Define roles as agents of a client
    #[command(
        long_about = "Define roles as agents of a client\n\nA single role is printed. Several, or all where none is named, are written into the folder in which the client looks for this project's agents, as `bugle-NAME`. A file there that no export wrote is never overwritten."
    )]
    Export(RoleExportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct RoleName {
    /// The role; `bugle role list` shows what there is
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct RoleExportArguments {
    /// The client
    #[arg(value_enum)]
    pub client: ClientChoice,
    /// Write into this folder, also if there is one role only
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    /// Only this role; can be given several times
    #[arg(long, value_name = "NAME")]
    pub role: Vec<String>,
}

/// A client that can have agents of its own
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ClientChoice {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

impl From<ClientChoice> for Client {
    fn from(choice: ClientChoice) -> Self {
        match choice {
            ClientChoice::Claude => Self::Claude,
            ClientChoice::Codex => Self::Codex,
        }
    }
}
