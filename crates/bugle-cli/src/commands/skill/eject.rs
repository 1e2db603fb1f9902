//! `bugle skill eject`

use bugle_app::{AppError, Context, Exit, eject};
use clap::Args;

use super::folder::skills_folder;
use crate::output::Output;

/// Copy a built-in skill so you can change it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill eject planner")]
pub(crate) struct EjectArgs {
    /// Skill name
    name: String,
    /// Copy the skill to your own skill folder instead of the project's
    #[arg(long)]
    user: bool,
}

pub(super) fn run(ctx: &Context, args: &EjectArgs, output: &Output) -> Result<Exit, AppError> {
    let folder = eject(&skills_folder(ctx, args.user), &args.name)?;
    let trust = if args.user {
        String::new()
    } else {
        let command = ctx.command(&["trust", &args.name]);
        format!(" If the skill runs commands, trust it first: {command}")
    };
    output.line(&format!(
        "Copied to {}. The copy overrides the built-in skill.{trust}",
        folder.display()
    ))?;
    Ok(Exit::Done)
}
