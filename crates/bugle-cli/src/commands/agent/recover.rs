//! `bugle agent recover`

use bugle_app::{App, AppError, Exit, supervisor};
use clap::Args;

use super::wait::after_prompt;
use crate::local_time::short_time;
use crate::output::Output;

/// Restart a crashed agent to continue its unfinished work
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent recover reviewer")]
pub(crate) struct RecoverArgs {
    /// Agent name or address
    agent: String,
    /// Do not wait for the answer
    #[arg(long)]
    detach: bool,
}

pub(super) fn run(app: &mut App, args: &RecoverArgs, output: &Output) -> Result<Exit, AppError> {
    let prompted = supervisor::recover_agent(&mut app.store, &app.context, &args.agent, &short_time)?;
    after_prompt(app, prompted, args.detach, output)
}
