//! `bugle result`

use bugle_app::{App, AppError, Exit};
use clap::Args;

use super::agent_result::print_result;
use crate::output::Output;

/// Print the last answer of an agent, alone
#[derive(Debug, Args)]
pub(crate) struct ResultArgs {
    /// The agent
    agent: String,
}

pub(crate) fn run(app: &mut App, args: &ResultArgs, output: &Output) -> Result<Exit, AppError> {
    print_result(app, &args.agent, output)
}
