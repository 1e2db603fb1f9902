//! `bugle ask`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::input::message_text;
use crate::output::Output;

/// Ask agents or people; you are blocked until one of them answers
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle ask \"@human Which database should I use?\"")]
pub(crate) struct AskArgs {
    /// Question text (- for stdin)
    text: String,
}

pub(crate) fn run(app: &mut App, args: AskArgs, output: &Output) -> Result<Exit, AppError> {
    let words = message_text(args.text)?;
    let said = messages::ask(&mut app.store, &app.context, &words, None)?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}
