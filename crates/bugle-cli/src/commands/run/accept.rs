//! `bugle run accept`

use bugle_app::{AfterAcceptance, App, AppError, Exit, runs, visit_token};
use clap::Args;

use bugle_core::count::counted;

use crate::output::Output;

/// Accept findings as risks so they stop blocking (user only)
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run accept 'r-7f3a1c#12' 1 3 --why 'Known limitation'")]
pub(crate) struct AcceptArgs {
    /// Review visit, as RUN#VISIT
    visit: String,
    /// Finding numbers from `bugle run findings`
    #[arg(required = true, value_name = "NUMBER")]
    findings: Vec<u32>,
    /// Reason for accepting the findings
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
        left => format!("{visit} still has {}.", counted(left, "blocking finding")),
    };
    let next = match &accepted.next {
        AfterAcceptance::Waiting(step) => {
            format!("The run is still waiting for a decision. To see the question, run: {step}")
        }
        AfterAcceptance::Continues(step) => format!("To see the current step, run: {step}"),
        AfterAcceptance::Ended(show) => format!("The run has ended. To see the results, run: {show}"),
    };
    output.line(&format!("Accepted the findings as risks. {others} {next}"))?;
    Ok(Exit::Done)
}
