//! `bugle inbox`

use bugle_app::{App, AppError, Exit, InboxRequest, messages};
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Show your messages and mark them as read
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle inbox --all")]
pub(crate) struct InboxArgs {
    /// Show another agent's inbox without marking messages as read
    #[arg(long = "for", value_name = "NAME")]
    whose: Option<String>,
    /// Include messages that you have already read
    #[arg(long)]
    all: bool,
    /// Show only messages from this agent, without marking them as read
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Show at most the newest NUMBER messages, without marking them as read
    #[arg(long, value_name = "NUMBER")]
    last: Option<u32>,
}

pub(crate) fn run(app: &mut App, args: InboxArgs, output: &Output) -> Result<Exit, AppError> {
    let request = InboxRequest {
        whose: args.whose,
        from: args.from,
        all: args.all,
        last: args.last,
    };
    messages::inbox(&mut app.store, &app.context, &request, &mut |inbox| {
        output.deliver(inbox, || text::inbox(inbox, &local_time))
    })?;
    Ok(Exit::Done)
}
