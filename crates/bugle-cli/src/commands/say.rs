//! `bugle say`

use bugle_app::{App, AppError, Exit, messages};
use bugle_render::message as text;
use clap::Args;

use crate::input::message_text;
use crate::output::Output;

/// Send a message to the agents and people it mentions
///
/// Addresses are @agent, @branch:agent, @project:branch:agent, @all and @human.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle say \"@reviewer the login branch is ready\"")]
pub(crate) struct SayArgs {
    /// Message text (- for stdin)
    text: String,
}

pub(crate) fn run(app: &mut App, args: SayArgs, output: &Output) -> Result<Exit, AppError> {
    let words = message_text(args.text)?;
    let said = messages::say(&mut app.store, &app.context, &words, None)?;
    output.answer(&said, || text::said(&said))?;
    Ok(Exit::Done)
}
