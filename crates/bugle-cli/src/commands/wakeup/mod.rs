//! `bugle wakeup`

mod list;

use bugle_app::{App, AppError, Exit, wakeup};
use bugle_render::wake as text;
use clap::{Args, Subcommand};

use crate::local_time::local_time;
use crate::output::Output;

/// List, show and compare wake-ups
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle wakeup list")]
pub(crate) enum WakeupCommand {
    List(list::WakeupsArgs),
    /// Show the text of a wake-up, or why parts were cut
    Show(ShowArgs),
    /// Compare two wake-ups
    Diff(DiffArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle wakeup show w-5td")]
pub(crate) struct ShowArgs {
    /// Wake-up id or prefix
    wakeup: String,
    /// Show the size of each part and why it was kept or cut, instead of the text
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle wakeup diff w-5td w-8kk")]
pub(crate) struct DiffArgs {
    /// Id or prefix of the first wake-up
    from: String,
    /// Id or prefix of the second wake-up
    to: String,
}

pub(crate) fn run(app: &mut App, command: &WakeupCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        WakeupCommand::List(args) => return list::run(app, args, output),
        WakeupCommand::Show(args) => {
            let detail = wakeup::show_wakeup(&mut app.store, &app.context, &args.wakeup)?;
            output.answer(&detail, || {
                if args.explain {
                    text::explain_recorded(&detail)
                } else {
                    text::detail(&detail, &local_time)
                }
            })?;
        }
        WakeupCommand::Diff(args) => {
            let diff = wakeup::compare_wakeups(&mut app.store, &app.context, &args.from, &args.to)?;
            output.answer(&diff, || text::difference(&diff))?;
        }
    }
    Ok(Exit::Done)
}
