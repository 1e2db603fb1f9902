//! `bugle kill`

use bugle_app::{App, AppError, Exit, supervisor};
use bugle_render::spawn as text;
use bugle_wire::SteeredView;
use clap::Args;

use crate::output::Output;

/// End the process of an agent and all that it started
#[derive(Debug, Args)]
pub(crate) struct KillArgs {
    /// The agent
    agent: String,
    /// At once, without letting it put its things in order
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(app: &mut App, args: &KillArgs, output: &Output) -> Result<Exit, AppError> {
    let view = SteeredView {
        agent: supervisor::kill_agent(&mut app.store, &app.context, &args.agent, args.force)?.to_string(),
        done: "killed".to_owned(),
        notice: None,
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}
