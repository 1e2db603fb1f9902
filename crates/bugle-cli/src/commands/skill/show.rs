//! `bugle skill show`

use bugle_app::{App, AppError, Exit, skills};
use bugle_render::skill as text;
use clap::Args;

use crate::output::Output;

/// Show a skill's params and steps
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill show planner")]
pub(crate) struct ShowArgs {
    /// Skill name or path
    name: String,
}

pub(super) fn run(app: &mut App, args: &ShowArgs, output: &Output) -> Result<Exit, AppError> {
    let detail = skills::skill(&mut app.store, &app.context, &args.name)?;
    output.answer(&detail, || text::detail(&detail))?;
    Ok(Exit::Done)
}
