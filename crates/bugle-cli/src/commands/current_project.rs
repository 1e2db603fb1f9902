//! The current project of a command.

use bugle_app::{App, AppError, projects};
use bugle_render::project::remote_conflict;

use crate::output::Output;

/// Records the current project's location. If another project has the same remote, warns a person, but not an agent.
pub(crate) fn follow_move(app: &mut App) -> Result<(), AppError> {
    let is_person = app.context.session.is_none();
    projects::follow_move_and_share(&mut app.store, &app.context, &mut |conflict| {
        if is_person {
            Output::warn(&[remote_conflict(conflict)]);
        }
    })?;
    Ok(())
}
