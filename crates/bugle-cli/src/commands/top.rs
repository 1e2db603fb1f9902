//! `bugle top`

use bugle_app::{AppError, Context, Exit};
use clap::Args;

use crate::output::Output;

/// Open the dashboard in the terminal
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle top")]
pub(crate) struct TopArgs {
    /// Enable mouse selection and scrolling (disables text selection in the terminal)
    #[arg(long)]
    mouse: bool,
}

pub(crate) fn run(ctx: &Context, args: &TopArgs, output: &Output) -> Result<Exit, AppError> {
    crate::top::show(ctx, args.mouse, output.colour())
}
