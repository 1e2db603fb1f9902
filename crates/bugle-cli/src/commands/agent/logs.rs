//! `bugle agent logs`

use bugle_app::{App, AppError, Exit, supervisor};
use bugle_daemon::follow_log;
use bugle_render::spawn as text;
use clap::Args;

use crate::output::Output;

/// Show an agent's log
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent logs reviewer --follow")]
pub(crate) struct LogsArgs {
    /// Agent name or address
    agent: String,
    /// Follow the log until the agent ends
    #[arg(long)]
    follow: bool,
    /// Show at most the newest NUMBER entries
    #[arg(long, value_name = "NUMBER")]
    tail: Option<usize>,
}

pub(super) fn run(mut app: App, args: &LogsArgs, output: &Output) -> Result<Exit, AppError> {
    if args.follow {
        follow_log(app.context, &args.agent, args.tail, &mut |item| {
            output.item(item, || text::entry(item))
        })?;
        return Ok(Exit::Done);
    }
    let log = supervisor::agent_log(&mut app.store, &app.context, &args.agent, args.tail)?;
    output.answer(&log, || text::log(&log))?;
    Ok(Exit::Done)
}
