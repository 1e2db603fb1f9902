//! `bugle run found`

use bugle_app::{App, AppError, Exit, runs};
use bugle_core::interface::Interface;
use bugle_render::{run as text, task as task_text};
use clap::Args;

use crate::commands::args::RunArgument;
use crate::output::Output;

/// List problems found outside the steps of a run, or make tasks of them
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run found r-7f3a1c --tasks")]
pub(crate) struct FoundArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Add a task for each problem that has no task yet
    #[arg(long)]
    tasks: bool,
}

pub(super) fn run(app: &mut App, args: &FoundArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    if args.tasks {
        let changed = runs::add_found(&mut app.store, &app.context, &selector)?;
        output.answer(&changed, || task_text::changed(&changed, Interface::Shell))?;
    } else {
        let list = runs::found(&mut app.store, &app.context, &selector)?;
        output.answer(&list, || text::found(&list))?;
    }
    Ok(Exit::Done)
}
