//! Output shared by several task commands.

use bugle_app::{App, AppError, Exit, Extent, task_id, tasks};
use bugle_core::interface::Interface;
use bugle_core::name::AgentName;
use bugle_core::reply::TasksChanged;
use bugle_render::task as text;

use crate::local_time::local_time;
use crate::output::Output;

pub(super) fn print_changed(changed: &TasksChanged, output: &Output) -> Result<Exit, AppError> {
    output.answer(changed, || text::changed(changed, Interface::Shell))?;
    Ok(Exit::Done)
}

pub(super) fn print_task(
    app: &mut App,
    task: &str,
    extent: Extent,
    agent: Option<&AgentName>,
    output: &Output,
) -> Result<Exit, AppError> {
    let detail = tasks::show_task(&mut app.store, &app.context, &task_id(task)?, extent, agent)?;
    output.answer(&detail, || text::detail(&detail, Interface::Shell, &local_time))?;
    Ok(Exit::Done)
}
