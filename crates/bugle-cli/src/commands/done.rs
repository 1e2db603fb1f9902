//! `bugle done`

use std::path::Path;

use bugle_app::{App, AppError, DoneRequest, Exit, Stop, runs, visit_token};
use bugle_core::engine::Escalation;
use clap::{Args, ValueEnum};

use super::args::FormatArgument;
use crate::input::{read_text, text_or_stdin};
use crate::output::Output;

/// End a step and print the next one
#[derive(Debug, Args)]
pub(crate) struct DoneArgs {
    /// The visit that is over, as the step printed it
    visit: String,
    /// The result as JSON, as @FILE, or - for standard input; without this, it is read from the file that the step named
    #[arg(long, value_name = "JSON")]
    result: Option<String>,
    /// Report that the step cannot be done; without a reason, it is read from the file that the step named
    #[arg(long, value_name = "REASON", num_args = 0..=1, conflicts_with = "result")]
    #[expect(
        clippy::option_option,
        reason = "absent, given without a reason, given with one: three different things"
    )]
    fail: Option<Option<String>>,
    /// End the step although sub-agents have open questions; these count as not done
    #[arg(long, conflicts_with_all = ["result", "fail", "escalate"])]
    unanswered: bool,
    /// Stop a sub-agent and return its work to the agent that started it; the reason is read from the file that the step named
    #[arg(long, value_enum, value_name = "KIND", conflicts_with_all = ["result", "fail"])]
    escalate: Option<EscalationChoice>,
    /// The reason, for --escalate
    #[arg(long, value_name = "TEXT", requires = "escalate")]
    why: Option<String>,
    /// Keep a note with the visit
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    format: FormatArgument,
}

/// Why a sub-agent passes its work back
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EscalationChoice {
    /// Something stands in the way
    Blocked,
    /// A decision is needed first
    #[value(name = "needs_decision")]
    NeedsDecision,
    /// Too much is unclear to go on
    Uncertainty,
}

impl From<EscalationChoice> for Escalation {
    fn from(choice: EscalationChoice) -> Self {
        match choice {
            EscalationChoice::Blocked => Self::Blocked,
            EscalationChoice::NeedsDecision => Self::NeedsDecision,
            EscalationChoice::Uncertainty => Self::Uncertainty,
        }
    }
}

pub(crate) fn run(app: &mut App, args: DoneArgs, output: &Output) -> Result<Exit, AppError> {
    let format = output.format(args.format.format);
    let result = args.result.map(result_text).transpose()?;
    let request = DoneRequest {
        visit: visit_token(&args.visit)?,
        result,
        unanswered: args.unanswered,
        stopped: match (args.fail, args.escalate) {
            (Some(reason), _) => Some((Stop::Failed, reason)),
            (None, Some(kind)) => Some((Stop::Escalated(kind.into()), args.why)),
            (None, None) => None,
        },
        note: args.note,
    };
    Output::reply(runs::done(&mut app.store, &app.context, request), format)
}

/// The result as it was given: itself, `@FILE`, or `-` for standard input.
fn result_text(argument: String) -> Result<String, AppError> {
    match argument.strip_prefix('@') {
        Some(file) => read_text(Path::new(file)),
        None => text_or_stdin(argument),
    }
}
