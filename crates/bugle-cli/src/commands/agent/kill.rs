//! `bugle agent kill`

use bugle_app::{App, AppError, Exit, supervisor};
use bugle_core::reply::{SteeredView, Steering};
use bugle_render::spawn as text;
use clap::Args;

use crate::output::Output;

/// Kill an agent's process and its child processes
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent kill reviewer")]
pub(crate) struct KillArgs {
    /// Agent name or address
    agent: String,
    /// Kill immediately, without time to clean up
    #[arg(long)]
    force: bool,
}

pub(super) fn run(app: &mut App, args: &KillArgs, output: &Output) -> Result<Exit, AppError> {
    let view = SteeredView {
        agent: supervisor::kill_agent(&mut app.store, &app.context, &args.agent, args.force)?.to_string(),
        done: Steering::Killed,
        notice: None,
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}
