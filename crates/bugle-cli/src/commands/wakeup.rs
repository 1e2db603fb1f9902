//! `bugle wakeup`

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::{Args, Subcommand};

use crate::local_time::local_time;
use crate::output::Output;

/// Show and compare wake-ups that were given
#[derive(Debug, Subcommand)]
pub(crate) enum WakeupCommand {
    /// Show what a wake-up said
    Show(ShowArgs),
    /// Show what one wake-up says and another does not
    Diff(DiffArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The wake-up, or the beginning of its id
    wakeup: String,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The one
    from: String,
    /// The other
    to: String,
}

pub(crate) fn run(app: &mut App, command: &WakeupCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        WakeupCommand::Show(args) => {
            let detail = wakeup::show_wakeup(&mut app.store, &app.context, &args.wakeup)?;
            output.answer(&detail, || text::detail(&detail, &local_time))?;
        }
        WakeupCommand::Diff(args) => {
            let diff = wakeup::compare_wakeups(&mut app.store, &app.context, &args.from, &args.to)?;
            output.answer(&diff, || text::difference(&diff))?;
        }
    }
    Ok(Exit::Done)
}
