//! `bugle task next`

use bugle_app::{App, AppError, Exit, tasks};
use bugle_render::task as text;
use clap::Args;

use super::{AgentArgument, ScopeArgument};
use crate::output::Output;

/// Print where work stands: the task to do now, its skill, the commands that go on
#[derive(Debug, Args)]
pub(crate) struct NextArgs {
    #[command(flatten)]
    scope: ScopeArgument,
    #[command(flatten)]
    agent: AgentArgument,
}

pub(super) fn run(app: &mut App, args: NextArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = args.scope.scope()?;
    let next = tasks::next_task(&mut app.store, &app.context, &scope, args.agent.name()?.as_ref())?;
    output.answer(&next, || text::next(&next))?;
    Ok(Exit::Done)
}
