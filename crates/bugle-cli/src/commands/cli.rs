//! The command line as a whole: global options and a command.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::Command;
use crate::output::FormatChoice;

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

/// The options of every command
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalOptions {
    /// Run as if started in this folder
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Act as this agent when sending messages and taking tasks
    #[arg(long = "as", global = true, value_name = "AGENT")]
    pub acting_as: Option<String>,
    /// Print the answer in this format
    #[arg(long, global = true, value_enum)]
    pub format: Option<FormatChoice>,
    /// Print one JSON document, same as --format json
    #[arg(long, global = true, conflicts_with = "format")]
    pub json: bool,
}
