//! `bugle up`

use bugle_app::{AppError, Context, Exit, StartedBy};
use bugle_daemon::{SupervisorOptions, run_supervisor};
use clap::Args;

use crate::local_time::short_time;
use crate::output::print;

/// Run the supervisor: deliver messages, restart crashed agents
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle up --once")]
pub(crate) struct UpArgs {
    /// Exit when no agent is working and all messages are delivered
    #[arg(long)]
    once: bool,
    /// Exit when idle, and yield to a supervisor that the user starts (used by Bugle)
    #[arg(long, hide = true)]
    on_demand: bool,
}

pub(crate) fn run(ctx: Context, args: &UpArgs) -> Result<Exit, AppError> {
    run_supervisor(&SupervisorOptions {
        context: ctx,
        once: args.once || args.on_demand,
        by: if args.on_demand {
            StartedBy::Demand
        } else {
            StartedBy::Hand
        },
        clock: &short_time,
        report: &|note| print(&format!("{note}\n")),
    })?;
    Ok(Exit::Done)
}
