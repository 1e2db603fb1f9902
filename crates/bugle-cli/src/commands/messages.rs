//! `bugle messages`

use bugle_app::{App, AppError, Exit, MessageRequest, messages};
use bugle_render::message as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Show what was said in this project
#[derive(Debug, Args)]
pub(crate) struct MessagesArgs {
    /// Only this one, by its id or the beginning of it
    #[arg(conflicts_with_all = ["to", "from", "unread", "last"])]
    message: Option<String>,
    /// Only those for this agent
    #[arg(long = "for", value_name = "NAME")]
    to: Option<String>,
    /// Only those from this agent
    #[arg(long, value_name = "NAME")]
    from: Option<String>,
    /// Only what the agent, or else this session or person, has not read, the oldest first
    #[arg(long, conflicts_with_all = ["from", "last"])]
    unread: bool,
    /// They are read with this, and not shown as unread again
    #[arg(long, requires = "unread")]
    take: bool,
    /// How many at most: the last ones
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    last: u32,
}

pub(crate) fn run(app: &mut App, args: MessagesArgs, output: &Output) -> Result<Exit, AppError> {
    let list = if let Some(id) = &args.message {
        messages::message(&mut app.store, &app.context, id)?
    } else if args.unread && args.take {
        messages::take_messages(&mut app.store, &app.context, args.to.as_deref(), &mut |list| {
            output.deliver(list, || text::list(list, &local_time))
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
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
