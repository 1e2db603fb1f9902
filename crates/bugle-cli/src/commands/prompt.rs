//! `bugle prompt`

use bugle_app::{App, AppError, Exit, supervisor};
use clap::Args;

use super::agent_result::after_prompt;
use crate::input::text_or_stdin;
use crate::local_time::short_time;
use crate::output::Output;

/// Wake an agent now, with something to do
#[derive(Debug, Args)]
pub(crate) struct PromptArgs {
    /// The agent
    agent: String,
    /// What it is to do now; - is standard input
    text: String,
    /// Do not wait for it
    #[arg(long)]
    detach: bool,
}

pub(crate) fn run(app: &mut App, args: PromptArgs, output: &Output) -> Result<Exit, AppError> {
    let prompt = text_or_stdin(args.text)?;
    let prompted = supervisor::prompt_agent(&mut app.store, &app.context, &args.agent, &prompt, &short_time)?;
    after_prompt(app, prompted, args.detach, output)
}
