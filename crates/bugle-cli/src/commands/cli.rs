//! The command line as a whole: global options and a command.

use clap::{Parser, Subcommand};

use crate::commands::Command;
use crate::global_options::GlobalOptions;

/// Workflows that coding agents cannot skip, and state they cannot forget
#[derive(Debug, Parser)]
#[command(
    name = "bugle",
    version,
    infer_subcommands = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli<C: Subcommand = Command> {
    #[command(flatten)]
    pub options: GlobalOptions,
    #[command(subcommand)]
    pub command: Option<C>,
}
