//! `bugle task next`

use bugle_app::{App, AppError, Exit, tasks};
use bugle_render::task as text;
use clap::Args;

use super::ScopeArgument;
use crate::commands::args::acting_agent;
use crate::output::Output;

/// Print the next task with its skill
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task next")]
pub(crate) struct NextArgs {
    #[command(flatten)]
    scope: ScopeArgument,
}

pub(super) fn run(app: &mut App, args: &NextArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = args.scope.scope()?;
    let agent = acting_agent(&app.context)?;
    let next = tasks::next_task(&mut app.store, &app.context, &scope, agent.as_ref())?;
    output.answer(&next, || text::next(&next))?;
    Ok(Exit::Done)
}
