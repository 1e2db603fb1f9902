//! `bugle done`

use std::path::Path;

use bugle_app::{App, AppError, DoneRequest, Exit, Stop, runs, visit_token};
use bugle_core::engine::Escalation;
use bugle_core::id::VisitToken;
use clap::{Args, ValueEnum};

use crate::input::{read_text, text_or_stdin};
use crate::output::Output;

/// Finish a step and print the next one
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle done 'r-7f3a1c#12'")]
pub(crate) struct DoneArgs {
    /// Visit to finish, as printed in the step
    visit: String,
    /// Result as JSON, @FILE or - for stdin [default: read from the file named in the step]
    #[arg(long, value_name = "JSON")]
    result: Option<String>,
    /// Report that the step failed, with a reason [default: read from the file named in the step]
    #[arg(long, value_name = "REASON", num_args = 0..=1, conflicts_with = "result")]
    #[expect(
        clippy::option_option,
        reason = "three cases: no flag, a flag without a reason, a flag with a reason"
    )]
    fail: Option<Option<String>>,
    /// Finish even if sub-agents have open questions, and record those sub-agents as not done
    #[arg(long, conflicts_with_all = ["result", "fail", "escalate"])]
    unanswered: bool,
    /// Hand this sub-agent's work back to its orchestrator
    #[arg(long, value_enum, value_name = "KIND", conflicts_with_all = ["result", "fail"])]
    escalate: Option<EscalationChoice>,
    /// Reason for --escalate [default: read from the file named in the step]
    #[arg(long, value_name = "TEXT", requires = "escalate")]
    why: Option<String>,
    /// Add a note to the visit
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// Why a sub-agent hands its work back
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EscalationChoice {
    /// Something outside the sub-agent's control blocks the work
    Blocked,
    /// The sub-agent needs a decision
    #[value(name = "needs_decision")]
    NeedsDecision,
    /// The task is too unclear to continue
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

impl DoneArgs {
    pub(crate) fn visit(&self) -> Result<VisitToken, AppError> {
        visit_token(&self.visit)
    }
}

pub(crate) fn run(app: &mut App, args: DoneArgs, output: &Output) -> Result<Exit, AppError> {
    let format = output.format();
    let visit = args.visit()?;
    let result = args.result.map(result_text).transpose()?;
    let request = DoneRequest {
        visit,
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

/// The text of a result: the argument itself, the content of `@FILE`, or stdin for `-`.
fn result_text(argument: String) -> Result<String, AppError> {
    match argument.strip_prefix('@') {
        Some(file) => read_text(Path::new(file)),
        None => text_or_stdin(argument),
    }
}
