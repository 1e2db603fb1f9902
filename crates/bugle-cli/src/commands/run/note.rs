//! `bugle run note`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
use clap::Args;

use crate::output::Output;

/// Add a note to a run's current step
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run note \"The cache is shared between tests\"")]
pub(crate) struct NoteArgs {
    /// Note to add
    text: String,
    /// Run id or prefix [default: the open run of this session or project]
    #[arg(long)]
    run: Option<String>,
}

pub(super) fn run(app: &mut App, args: &NoteArgs, output: &Output) -> Result<Exit, AppError> {
    let run = runs::note(
        &mut app.store,
        &app.context,
        &RunSelector::parse(args.run.as_deref())?,
        &args.text,
    )?;
    output.line(&format!("Added the note to run {run}."))?;
    Ok(Exit::Done)
}
