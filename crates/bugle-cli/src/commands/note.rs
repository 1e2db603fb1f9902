//! `bugle note`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
use clap::Args;

use crate::output::Output;

/// Keep a note with the current step
#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// What is worth keeping
    text: String,
    /// The run; without it, the one that is open here
    #[arg(long)]
    run: Option<String>,
}

pub(crate) fn run(app: &mut App, args: &NoteArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::note(
        &mut app.store,
        &app.context,
        &RunSelector::parse(args.run.as_deref())?,
        &args.text,
    )?;
    output.line(&format!("Noted with run {run}."))?;
    Ok(Exit::Done)
}
