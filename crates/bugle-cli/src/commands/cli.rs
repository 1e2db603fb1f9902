//! The command line as a whole: global options and a command.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::commands::Command;

/// Keeps coding agents on course: skills as workflows an agent cannot skip, and state it cannot forget
#[derive(Debug, Parser)]
#[command(
    name = "bugle",
    version,
    arg_required_else_help = true,
    infer_subcommands = false
)]
pub(crate) struct Cli<C: Subcommand = Command> {
    /// Answer with one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Act as if run in this folder
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    #[command(subcommand)]
    pub command: C,
}
