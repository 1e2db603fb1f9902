//! `bugle top`

use bugle_app::{AppError, Context, Exit};
use clap::Args;

use crate::output::Output;

/// Watch channels, agents and runs in the terminal, and say something yourself
#[derive(Debug, Args)]
pub(crate) struct TopArgs {
    /// Take the mouse: click to choose, turn the wheel to scroll; the terminal itself marks no text then
    #[arg(long)]
    mouse: bool,
}

pub(crate) fn run(ctx: &Context, args: &TopArgs, output: &Output) -> Result<Exit, AppError> {
    crate::top::show(ctx, args.mouse, output.colour())
}
