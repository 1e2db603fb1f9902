//! `bugle convention`

use bugle_app::{AppError, Exit, Place, conventions, show_convention};
use bugle_render::skill as text;

use crate::arguments::ConventionCommand;
use crate::output::Output;

pub(crate) fn convention(
    place: &Place,
    command: &ConventionCommand,
    output: &Output,
) -> Result<Exit, AppError> {
    match command {
        ConventionCommand::List => {
            let list = conventions(place);
            output.answer(&list, || text::conventions(&list))?;
        }
        ConventionCommand::Show(arguments) => {
            let detail = show_convention(place, &arguments.name)?;
            output.answer(&detail, || text::convention(&detail))?;
        }
    }
    Ok(Exit::Done)
}
