//! `bugle ask`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::input::message_text;
use crate::output::Output;

/// Ask those who are mentioned, and be blocked until one of them answers
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// What to say; - is standard input
    text: String,
    /// Who says it; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    agent: Option<String>,
}

pub(crate) fn run(app: &mut App, args: AskArgs, output: &Output) -> Result<Exit, AppError> {
    let words = message_text(args.text)?;
    let said = messages::ask(&mut app.store, &app.context, &words, args.agent.as_deref())?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}
