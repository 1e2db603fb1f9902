//! `bugle skill preview`

use bugle_app::{AppError, Context, Exit, preview, read_skill};
use clap::Args;

use crate::commands::args::FormatArgument;
use crate::output::Output;

/// Print a step as an agent would see it, with made-up values
#[derive(Debug, Args)]
pub(crate) struct PreviewArgs {
    /// The skill's name, or a path to it
    name: String,
    /// The step; without it, the first one
    #[arg(long, value_name = "ID")]
    step: Option<String>,
    /// Of this workflow of a sub-agent, such as agents/explore.yaml
    #[arg(long, value_name = "FILE")]
    child: Option<String>,
    #[command(flatten)]
    format: FormatArgument,
}

pub(super) fn run(ctx: &Context, args: &PreviewArgs, output: &Output) -> Result<Exit, AppError> {
    let package = read_skill(ctx, &args.name)?;
    let view = preview(ctx, &package, args.child.as_deref(), args.step.as_deref())?;
    Output::text(&bugle_render::step::step(
        &view,
        output.format(args.format.format),
    ))?;
    Ok(Exit::Done)
}
