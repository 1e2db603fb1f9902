//! `bugle task ready`

use bugle_app::{App, AppError, Exit, tasks};
use bugle_render::task as text;
use clap::Args;

use super::ScopeArgument;
use crate::output::Output;

/// List the tasks that can start
///
/// If no task in the current plan can start, lists tasks from the whole project.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task ready")]
pub(crate) struct ReadyArgs {
    #[command(flatten)]
    scope: ScopeArgument,
    /// Show at most NUMBER tasks
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    limit: u32,
}

pub(super) fn run(app: &mut App, args: &ReadyArgs, output: &Output) -> Result<Exit, AppError> {
    let ready = tasks::ready_tasks(&mut app.store, &app.context, &args.scope.scope()?, args.limit)?;
    output.answer(&ready, || text::ready(&ready, app.context.interface))?;
    Ok(Exit::Done)
}
