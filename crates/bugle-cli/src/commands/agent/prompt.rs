//! `bugle agent prompt`

use bugle_app::{App, AppError, Exit, supervisor};
use clap::Args;

use super::wait::after_prompt;
use crate::input::text_or_stdin;
use crate::local_time::short_time;
use crate::output::Output;

/// Send a prompt to an agent and print the answer
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle agent prompt reviewer \"Look at the new commits\"")]
pub(crate) struct PromptArgs {
    /// Agent name or address
    agent: String,
    /// Prompt text (- for stdin)
    text: String,
    /// Do not wait for the answer
    #[arg(long)]
    detach: bool,
}

pub(super) fn run(app: &mut App, args: PromptArgs, output: &Output) -> Result<Exit, AppError> {
    let prompt = text_or_stdin(args.text)?;
    let prompted = supervisor::prompt_agent(&mut app.store, &app.context, &args.agent, &prompt, &short_time)?;
    after_prompt(app, prompted, args.detach, output)
}
