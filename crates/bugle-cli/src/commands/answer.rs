//! `bugle answer`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::input::message_text;
use crate::output::Output;

/// Answer a question
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The question, or the beginning of its id, and the answer; or the answer alone if one question is open; - is standard input
    #[arg(required = true, num_args = 1..=2, value_names = ["QUESTION", "TEXT"])]
    words: Vec<String>,
    /// Who answers; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    agent: Option<String>,
}

pub(crate) fn run(app: &mut App, args: AnswerArgs, output: &Output) -> Result<Exit, AppError> {
    let mut words = args.words;
    let answer = message_text(words.pop().unwrap_or_default())?;
    let said = messages::answer(
        &mut app.store,
        &app.context,
        words.first().map(String::as_str),
        &answer,
        args.agent.as_deref(),
    )?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}
