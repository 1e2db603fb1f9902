//! `bugle answer`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::input::message_text;
use crate::output::Output;

/// Answer a question
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle answer m-3xq \"Use Postgres\"")]
pub(crate) struct AnswerArgs {
    /// Question id and answer (- for stdin); omit the id if only one question is open
    #[arg(required = true, num_args = 1..=2, value_names = ["QUESTION", "TEXT"])]
    words: Vec<String>,
}

pub(crate) fn run(app: &mut App, args: AnswerArgs, output: &Output) -> Result<Exit, AppError> {
    let mut words = args.words;
    let answer = message_text(words.pop().unwrap_or_default())?;
    let said = messages::answer(
        &mut app.store,
        &app.context,
        words.first().map(String::as_str),
        &answer,
        None,
    )?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}
