//! `bugle up`

use bugle_app::{AppError, Context, Exit, StartedBy};
use bugle_daemon::{SupervisorOptions, run_supervisor};
use clap::Args;

use crate::local_time::short_time;
use crate::output::print;

/// Look after agents: wake those who are spoken to, watch those at work, start those again that died
#[derive(Debug, Args)]
pub(crate) struct UpArgs {
    /// End when all is quiet: nobody is to be woken and nobody is at work
    #[arg(long)]
    once: bool,
    /// Bugle started it: it ends when all is quiet, and makes room for one that a person starts
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
