//! `bugle message list`

use bugle_app::{App, AppError, Exit, MessageRequest, messages};
use bugle_core::interface::Interface;
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// List this project's messages, or show one message
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle message list --from reviewer")]
pub(crate) struct MessagesArgs {
    /// Message id or prefix [default: all messages]
    #[arg(conflicts_with_all = ["to", "from", "unread", "last"])]
    message: Option<String>,
    /// Show only messages to this agent
    #[arg(long = "for", value_name = "NAME")]
    to: Option<String>,
    /// Show only messages from this agent
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Show only unread messages, oldest first
    #[arg(long, conflicts_with_all = ["from", "last"])]
    unread: bool,
    /// Mark the listed messages as read
    #[arg(long, requires = "unread")]
    take: bool,
    /// Show at most the newest NUMBER messages
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    last: u32,
}

pub(super) fn run(app: &mut App, args: MessagesArgs, output: &Output) -> Result<Exit, AppError> {
    let list = if let Some(id) = &args.message {
        messages::message(&mut app.store, &app.context, id)?
    } else if args.unread && args.take {
        messages::take_messages(&mut app.store, &app.context, args.to.as_deref(), &mut |list| {
            output.deliver(list, || text::list(list, Interface::Shell, &local_time))
        })?;
        return Ok(Exit::Done);
    } else if args.unread {
        messages::unread_messages(&mut app.store, &app.context, args.to.as_deref())?.0
    } else {
        messages::messages(
            &mut app.store,
            &app.context,
            &MessageRequest {
                to: args.to,
                from: args.from,
                branch: None,
                last: args.last,
            },
        )?
    };
    output.answer(&list, || text::list(&list, Interface::Shell, &local_time))?;
    Ok(Exit::Done)
}
