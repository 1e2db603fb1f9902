//! `bugle message channel`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Show the messages on a branch
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle message channel main")]
pub(crate) struct ChannelArgs {
    /// Branch name [default: the current branch]
    branch: Option<String>,
    /// Show at most the newest NUMBER messages
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    last: u32,
}

pub(super) fn run(app: &mut App, args: &ChannelArgs, output: &Output) -> Result<Exit, AppError> {
    let list = messages::channel(&mut app.store, &app.context, args.branch.as_deref(), args.last)?;
    output.answer(&list, || text::list(&list, app.context.interface, &local_time))?;
    Ok(Exit::Done)
}
