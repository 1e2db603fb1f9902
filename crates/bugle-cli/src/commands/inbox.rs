//! `bugle inbox`

use bugle_app::{App, AppError, Exit, InboxRequest, messages};
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Show your messages, unread ones first, and mark them as read
#[derive(Debug, Args)]
pub(crate) struct InboxArgs {
    /// Whose; without it, that of this session or person. Looking into another's takes nothing out of it
    #[arg(long = "for", value_name = "NAME")]
    whose: Option<String>,
    /// What was read before, too
    #[arg(long)]
    all: bool,
    /// Only what this agent said; nothing counts as read then
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// How many at most: the last ones; nothing counts as read then
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
