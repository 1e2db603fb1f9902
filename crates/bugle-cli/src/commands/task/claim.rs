//! `bugle task claim`

use bugle_app::{App, AppError, Exit, Extent, tasks};
use clap::Args;

use super::ScopeArgument;
use super::print::print_task;
use crate::commands::args::acting_agent;
use crate::output::Output;

/// Claim and print the first task that can start
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle task claim")]
pub(crate) struct ClaimArgs {
    #[command(flatten)]
    scope: ScopeArgument,
}

pub(super) fn run(app: &mut App, args: &ClaimArgs, output: &Output) -> Result<Exit, AppError> {
    let scope = args.scope.scope()?;
    let agent = acting_agent(&app.context)?;
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
