//! Options that every command accepts.

use std::path::PathBuf;

use clap::ValueEnum;

/// Options that every command accepts
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalOptions {
    /// Run as if started in this folder
    #[arg(short = 'C', global = true, value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Act as this agent; register the agent if it is new
    #[arg(long = "as", global = true, value_name = "AGENT")]
    pub acting_as: Option<String>,
    /// Print the answer in this format
    #[arg(long, global = true, value_enum)]
    pub format: Option<FormatChoice>,
    /// Print one JSON document, same as --format json
    #[arg(long, global = true, conflicts_with = "format")]
    pub json: bool,
}

/// The output format
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum FormatChoice {
    /// For agents; the default for steps unless stdout is a terminal
    Xml,
    /// For people
    Text,
    /// For programs
    Json,
    /// Markdown
    Md,
}
