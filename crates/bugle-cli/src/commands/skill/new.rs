//! `bugle skill new`

use bugle_app::{AppError, Context, Exit, new_skill};
use clap::Args;

use super::folder::skills_folder;
use crate::output::Output;

/// Create a skill from a working template
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill new release-notes")]
pub(crate) struct NewArgs {
    /// Skill name
    name: String,
    /// Create the skill in your own skill folder instead of the project's
    #[arg(long)]
    user: bool,
}

pub(super) fn run(ctx: &Context, args: &NewArgs, output: &Output) -> Result<Exit, AppError> {
    let folder = new_skill(&skills_folder(ctx, args.user), &args.name)?;
    let check = ctx.command(&["skill", "check", &args.name]);
    let words: Vec<&str> = ["setup", "CLIENT"]
        .into_iter()
        .chain(args.user.then_some("--user"))
        .collect();
    let setup = ctx.command(&words);
    output.line(&format!(
        "Created {}.\nTo add it to a client's list of skills: {setup}\nNext: {check}",
        folder.display()
    ))?;
    Ok(Exit::Done)
}
