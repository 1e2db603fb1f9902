//! `bugle agent interrupt`

use bugle_app::{App, AppError, Exit, supervisor};
use bugle_core::reply::{SteeredView, Steering};
use bugle_render::spawn as text;
use clap::Args;

use crate::output::Output;

/// Interrupt an agent's turn; the session can be resumed
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent interrupt reviewer")]
pub(crate) struct InterruptArgs {
    /// Agent name or address
    agent: String,
}

pub(super) fn run(app: &mut App, args: &InterruptArgs, output: &Output) -> Result<Exit, AppError> {
    let view = SteeredView {
        agent: supervisor::interrupt_agent(&mut app.store, &app.context, &args.agent)?.to_string(),
        done: Steering::Interrupted,
        notice: None,
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}
