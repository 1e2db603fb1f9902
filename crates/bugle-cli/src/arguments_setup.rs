//! What can be said after `bugle setup` and `bugle plugin`. The comments are the help.

use std::ffi::OsString;
use std::path::PathBuf;

use bugle_wire::setup::Client;
use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag that can be given or not"
)]
pub(crate) struct SetupArguments {
    /// The client
    #[arg(value_enum)]
    pub client: SetupClient,
    /// For this project; the default
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// For all of your projects
    #[arg(long)]
    pub user: bool,
    /// Say what is there, what is missing and what is outdated; exit 1 if something is to be done
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    pub check: bool,
    /// Take everything out again; files that were not touched since are then as they were before
    #[arg(long)]
    pub remove: bool,
    /// Print what would change as a diff, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also write a marked block into CLAUDE.md, AGENTS.md or GEMINI.md
    #[arg(long)]
    pub instructions: bool,
    /// Also show the run, the step and the task in the status line, if nobody else has it; Claude Code only
    #[arg(long)]
    pub statusline: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// What happens, as the client calls it
    pub event: OsString,
    /// The client
    #[arg(long)]
    pub client: OsString,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// One client; without it, every one that is found
    #[arg(value_enum)]
    pub client: Option<SetupClient>,
    /// Only what is set up for this project
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// Only what is set up for all of your projects
    #[arg(long)]
    pub user: bool,
}

/// A client that can be set up
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SetupClient {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode
    Opencode,
}

impl From<SetupClient> for Client {
    fn from(choice: SetupClient) -> Self {
        match choice {
            SetupClient::Claude => Self::Claude,
            SetupClient::Codex => Self::Codex,
            SetupClient::Gemini => Self::Gemini,
            SetupClient::Opencode => Self::Opencode,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// Build a folder that a client installs as a plugin: hooks, MCP server, skills, agents
    Build(PluginArguments),
}

#[derive(Debug, Args)]
pub(crate) struct PluginArguments {
    /// The client
    #[arg(long, value_enum, default_value_t = PluginClient::Claude)]
    pub client: PluginClient,
    /// The folder; it must not be there, or be empty
    #[arg(long, value_name = "DIR", default_value = "bugle-plugin")]
    pub output: PathBuf,
}

/// A client that installs plugins
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PluginClient {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
}

impl From<PluginClient> for Client {
    fn from(choice: PluginClient) -> Self {
        match choice {
            PluginClient::Claude => Self::Claude,
            PluginClient::Codex => Self::Codex,
        }
    }
}
