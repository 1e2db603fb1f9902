//! `bugle say`, `ask`, `answer`, `inbox`, `channel`, `messages` and `search`

use std::path::Path;

use bugle_app::{App, AppError, Exit, InboxRequest, MessageRequest};
use bugle_render::message as text;

use super::run::{local_time, read_text};
use crate::arguments_message::{
    AnswerArguments, ChannelArguments, InboxArguments, MessagesArguments, SayArguments, SearchArguments,
};
use crate::output::Output;

pub(crate) fn say(app: &mut App, arguments: SayArguments, output: &Output) -> Result<Exit, AppError> {
    let words = spoken(arguments.text)?;
    let said = app.say(&words, arguments.agent.as_deref())?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}

/// What is to be said: the words themselves, or what comes in.
fn spoken(text: String) -> Result<String, AppError> {
    if text != "-" {
        return Ok(text);
    }
    let words = read_text(Path::new("-"))?;
    if words.trim().is_empty() {
        return Err(AppError::Usage {
            what: "`-` is the standard input, and nothing came in on it".to_owned(),
            hints: vec!["Give the words there, or instead of the `-`.".to_owned()],
        });
    }
    Ok(words)
}

pub(crate) fn ask(app: &mut App, arguments: SayArguments, output: &Output) -> Result<Exit, AppError> {
    let words = spoken(arguments.text)?;
    let said = app.ask(&words, arguments.agent.as_deref())?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}

pub(crate) fn answer(app: &mut App, arguments: AnswerArguments, output: &Output) -> Result<Exit, AppError> {
    let mut words = arguments.words;
    let answer = spoken(words.pop().unwrap_or_default())?;
    let said = app.answer(
        words.first().map(String::as_str),
        &answer,
        arguments.agent.as_deref(),
    )?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}

pub(crate) fn inbox(app: &mut App, arguments: InboxArguments, output: &Output) -> Result<Exit, AppError> {
    let request = InboxRequest {
        whose: arguments.whose,
        from: arguments.from,
        all: arguments.all,
        last: arguments.last,
    };
    app.inbox(&request, &mut |inbox| {
        output.deliver(inbox, || text::inbox(inbox, &local_time))
    })?;
    Ok(Exit::Done)
}

pub(crate) fn channel(
    app: &mut App,
    arguments: &ChannelArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let list = app.channel(arguments.branch.as_deref(), arguments.last)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}

pub(crate) fn search(app: &mut App, arguments: &SearchArguments, output: &Output) -> Result<Exit, AppError> {
    // What the shell was given as one word is looked for as it stands.
    let words = arguments.words.iter().map(|word| {
        if word.contains(char::is_whitespace) && !word.contains('"') {
            format!("\"{word}\"")
        } else {
            word.clone()
        }
    });
    let words = words.collect::<Vec<_>>().join(" ");
    let found = app.search(&words, arguments.limit, arguments.all)?;
    output.answer(&found, || bugle_render::search::list(&found, &local_time))?;
    Ok(Exit::Done)
}

pub(crate) fn messages(
    app: &mut App,
    arguments: MessagesArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let list = if let Some(id) = &arguments.message {
        app.message(id)?
    } else if arguments.unread && arguments.take {
        app.take_messages(arguments.to.as_deref(), &mut |list| {
            output.deliver(list, || text::list(list, &local_time))
        })?;
        return Ok(Exit::Done);
    } else if arguments.unread {
        app.unread_messages(arguments.to.as_deref())?.0
    } else {
        app.messages(&MessageRequest {
            to: arguments.to,
            from: arguments.from,
            branch: None,
            last: arguments.last,
        })?
    };
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}
