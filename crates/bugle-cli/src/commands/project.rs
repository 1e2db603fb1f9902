//! `bugle project`

use bugle_app::{App, AppError, Exit};
use bugle_render::project as text;

use super::run::local_time;
use crate::arguments_project::ProjectCommand;
use crate::output::Output;

pub(crate) fn project(app: &mut App, command: &ProjectCommand, output: &Output) -> Result<Exit, AppError> {
    let said = match command {
        ProjectCommand::List => {
            let list = app.list_projects()?;
            output.answer(&list, || text::projects(&list, &local_time))?;
            return Ok(Exit::Done);
        }
        ProjectCommand::Move(arguments) => app.move_project(&arguments.old, arguments.new.as_deref())?,
        ProjectCommand::Merge(arguments) => app.merge_projects(&arguments.from, &arguments.into)?,
    };
    output.line(&said.join(" "))?;
    Ok(Exit::Done)
}
