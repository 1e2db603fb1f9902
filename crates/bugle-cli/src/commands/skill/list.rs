//! `bugle skill list`

use bugle_app::{App, AppError, Exit, skills};
use bugle_render::skill as text;
use clap::Args;

use crate::output::Output;

/// List the skills available in this project
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill list")]
pub(crate) struct ListArgs {}

pub(super) fn run(app: &mut App, output: &Output) -> Result<Exit, AppError> {
    let list = skills::skills(&mut app.store, &app.context)?;
    output.answer(&list, || text::list(&list, output.width()))?;
    Ok(Exit::Done)
}
