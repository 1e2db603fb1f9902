//! `bugle say` and `bugle messages`

use std::path::Path;

use bugle_app::{App, AppError, Exit, MessageRequest};
use bugle_render::message as text;

use super::run::{local_time, read_text};
use crate::arguments_message::{MessagesArguments, SayArguments};
use crate::output::Output;

pub(crate) fn say(app: &mut App, arguments: SayArguments, output: &Output) -> Result<Exit, AppError> {
    let words = if arguments.text == "-" {
        read_text(Path::new("-"))?
    } else {
        arguments.text
    };
    let said = app.say(&words, arguments.agent.as_deref())?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}

pub(crate) fn messages(
    app: &mut App,
    arguments: MessagesArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let list = if arguments.unread {
        app.unread_messages(arguments.to.as_deref(), arguments.take)?
    } else {
        app.messages(&MessageRequest {
            to: arguments.to,
            from: arguments.from,
            last: arguments.last,
        })?
    };
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
