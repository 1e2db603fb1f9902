//! `bugle task claim`

use bugle_app::{App, AppError, Exit, Extent, tasks};
use clap::Args;

use super::{AgentArgument, ScopeArgument, print_task};
use crate::output::Output;

/// Take the first task that can start, so that nobody else gets it, and print what is needed to do it
#[derive(Debug, Args)]
pub(crate) struct ClaimArgs {
    #[command(flatten)]
    scope: ScopeArgument,
    #[command(flatten)]
    agent: AgentArgument,
}

pub(super) fn run(app: &mut App, args: ClaimArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = args.scope.scope()?;
    let agent = args.agent.name()?;
    match tasks::claim_task(&mut app.store, &app.context, &scope, agent.as_ref())? {
        Some(task) => print_task(app, task.as_str(), Extent::Work, agent.as_ref(), output),
        None => Err(tasks::nothing_to_claim(
            &mut app.store,
            &app.context,
            &scope,
            agent.as_ref(),
        )?),
    }
}
