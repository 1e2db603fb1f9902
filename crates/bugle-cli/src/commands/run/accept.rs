//! `bugle run accept`

use bugle_app::{App, AppError, Exit, runs, visit_token};
use clap::Args;

use crate::output::Output;

/// Accept findings as risks so they stop blocking (user only)
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run accept 'r-7f3a1c#12' 1 3 --why 'Known limitation'")]
pub(crate) struct AcceptArgs {
    /// The review's visit, as RUN#VISIT
    visit: String,
    /// Finding numbers, as `bugle run findings` prints them
    #[arg(required = true, value_name = "NUMBER")]
    findings: Vec<u32>,
    /// The reason
    #[arg(long, value_name = "TEXT")]
    why: String,
}

pub(super) fn run(app: &mut App, args: &AcceptArgs, output: &Output) -> Result<Exit, AppError> {
    let accepted = runs::accept(
        &mut app.store,
        &app.context,
        &visit_token(&args.visit)?,
        &args.findings,
        &args.why,
    )?;
    let visit = &accepted.visit;
    let others = match accepted.left {
        0 => format!("{visit} has no more blocking findings."),
        1 => format!("{visit} still has 1 blocking finding."),
        left => format!("{visit} still has {left} blocking findings."),
    };
    let next = if accepted.waits {
        "The run is still waiting for a decision"
    } else {
        "Current step"
    };
    output.line(&format!(
        "Accepted the findings as risks. {others} {next}: {}",
        accepted.step_command
    ))?;
    Ok(Exit::Done)
}
