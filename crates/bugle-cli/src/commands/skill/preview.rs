//! `bugle skill preview`

use bugle_app::{AppError, Context, Exit, preview, read_skill};
use clap::Args;

use crate::output::Output;

/// Print a step as an agent would see it, with sample values
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill preview planner --step write_plan")]
pub(crate) struct PreviewArgs {
    /// Skill name or path
    name: String,
    /// Step to preview [default: the first step]
    #[arg(long, value_name = "ID")]
    step: Option<String>,
    /// Preview a sub-agent's workflow, such as agents/explore.yaml
    #[arg(long, value_name = "FILE")]
    child: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &PreviewArgs, output: &Output) -> Result<Exit, AppError> {
    let package = read_skill(ctx, &args.name)?;
    let view = preview(ctx, &package, args.child.as_deref(), args.step.as_deref())?;
    let text = output
        .format()
        .of(&view, |format| bugle_render::step::step(&view, format));
    Output::text(&text)?;
    Ok(Exit::Done)
}
