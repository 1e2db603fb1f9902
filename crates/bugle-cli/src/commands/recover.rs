//! `bugle recover`

use bugle_app::{App, AppError, Exit, supervisor};
use clap::Args;

use super::agent_result::after_prompt;
use crate::local_time::short_time;
use crate::output::Output;

/// Restart an agent that crashed or lost its session, with its unfinished work
#[derive(Debug, Args)]
pub(crate) struct RecoverArgs {
    /// The agent
    agent: String,
    /// Do not wait for it
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(app: &mut App, args: &RecoverArgs, output: &Output) -> Result<Exit, AppError> {
    let prompted = supervisor::recover_agent(&mut app.store, &app.context, &args.agent, &short_time)?;
    after_prompt(app, prompted, args.detach, output)
}
