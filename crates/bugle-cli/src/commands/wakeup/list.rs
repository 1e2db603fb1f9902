//! `bugle wakeup list`

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// List recorded wake-ups
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle wakeup list --for reviewer")]
pub(crate) struct WakeupsArgs {
    /// Show only this agent's wake-ups
    #[arg(long = "for", value_name = "AGENT")]
    agent: Option<String>,
    /// Show at most NUMBER wake-ups
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
}

pub(super) fn run(app: &mut App, args: &WakeupsArgs, output: &Output) -> Result<Exit, AppError> {
    let list = wakeup::wakeups(&mut app.store, &app.context, args.agent.as_deref(), args.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
