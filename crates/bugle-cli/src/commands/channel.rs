//! `bugle channel`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Show what was said on a branch
#[derive(Debug, Args)]
pub(crate) struct ChannelArgs {
    /// The branch; without it, your own
    branch: Option<String>,
    /// How many at most: the last ones
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    last: u32,
}

pub(crate) fn run(app: &mut App, args: &ChannelArgs, output: &Output) -> Result<Exit, AppError> {
    let list = messages::channel(&mut app.store, &app.context, args.branch.as_deref(), args.last)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
