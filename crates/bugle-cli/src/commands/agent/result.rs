//! `bugle agent result`

use bugle_app::{App, AppError, Exit};
use clap::Args;

use super::wait::print_result;
use crate::output::Output;

/// Print an agent's most recent answer
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent result reviewer")]
pub(crate) struct ResultArgs {
    /// Agent name or address
    agent: String,
}

pub(super) fn run(app: &mut App, args: &ResultArgs, output: &Output) -> Result<Exit, AppError> {
    print_result(app, &args.agent, output)
}
