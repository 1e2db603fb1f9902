//! `bugle skill list`

use bugle_app::{App, AppError, Exit, skills};
use bugle_render::skill as text;
use clap::Args;

use crate::output::Output;

/// List every skill that can be found from here
#[derive(Debug, Args)]
pub(crate) struct ListArgs {}

pub(super) fn run(app: &mut App, output: &Output) -> Result<Exit, AppError> {
    let list = skills::skills(&mut app.store, &app.context)?;
    output.answer(&list, || text::list(&list, output.width()))?;
    Ok(Exit::Done)
}
