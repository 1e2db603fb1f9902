//! `bugle wakeups`

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// List the wake-ups that were given
#[derive(Debug, Args)]
pub(crate) struct WakeupsArgs {
    /// Only those for this agent, as the list names it
    #[arg(long = "for", value_name = "AGENT")]
    agent: Option<String>,
    /// How many at most
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
}

pub(crate) fn run(app: &mut App, args: &WakeupsArgs, output: &Output) -> Result<Exit, AppError> {
    let list = wakeup::wakeups(&mut app.store, &app.context, args.agent.as_deref(), args.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
