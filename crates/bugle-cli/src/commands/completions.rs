//! `bugle completions`

use bugle_app::{AppError, Exit};
use clap::{Args, CommandFactory as _};

use crate::commands::cli::Cli;
use crate::output::Output;

/// Print shell completions
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle completions bash")]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    shell: clap_complete::Shell,
}

pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, AppError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut <Cli>::command(), "bugle", &mut script);
    Output::text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
