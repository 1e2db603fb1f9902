//! Refusals, with the command to run next.

use bugle_core::engine::{Refusal, RunState, RunStatus};
use bugle_core::id::VisitToken;
use bugle_core::reply::{
    AnswerCommand, RefusalReason, Refused, ResultPlace, RunHelp, TextFile, TrustCommands,
};
use bugle_core::rights::Action;

use super::child_refusal;
use super::loaded::Drift;
use crate::open_run::OpenRun;
use crate::{AppError, Context, answer_commands, delegation, view, work_files};

/// A refusal with the run's position and the command that continues from there.
pub(crate) fn refused(ctx: &Context, run: &OpenRun, refusal: &Refusal) -> AppError {
    let state = &run.state;
    let id = state.id.as_str();
    let done_command = || {
        state
            .current_token()
            .map(|token| ctx.command(&["done", &token.to_string()]))
    };
    let is_about_answer = matches!(
        refusal,
        Refusal::BadChoice { .. }
            | Refusal::NotAllowed(Action::Answer | Action::AnswerInPerson | Action::DecideGate, _)
    );
    let answers = if is_about_answer {
        answer_commands::answers(ctx, run)
    } else {
        Vec::new()
    };
    let command = match refusal {
        Refusal::ResultMissing(_)
        | Refusal::ResultMismatch { .. }
        | Refusal::ChecksFailed { .. }
        | Refusal::ResultUnexpected
        | Refusal::EvidenceUnmet(_)
        | Refusal::ChecksMissing(_)
        | Refusal::UnknownDispute { .. }
        | Refusal::Untrusted { .. } => done_command(),
        Refusal::OnlyForWholeRuns(action) => on_parent_run(ctx, state, *action),
        _ if *refusal == Refusal::NO_ANSWER => state
            .current_token()
            .map(|token| answer_commands::answer_with_text(ctx, &token)),
        _ if *refusal == Refusal::NO_REASON_TO_ACCEPT => state
            .current_token()
            .map(|token| answer_commands::accept_with_reason(ctx, &token)),
        // The refusal already lists a command for each answer.
        _ if !answers.is_empty() => None,
        _ => match state.status {
            RunStatus::Active | RunStatus::Waiting => Some(view::step_command(ctx, &state.id)),
            RunStatus::Paused => Some(ctx.command(&["run", "resume", id])),
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                Some(ctx.command(&["run", "show", id]))
            }
        },
    };
    let step = state.current().and_then(|visit| run.workflow.step(&visit.step));
    let outline = step.filter(|_| refusal.is_about_shape()).map(|step| {
        let results = state.current().map(|visit| state.results_before(visit.number));
        view::result_outline(
            step,
            results.as_ref().and_then(|results| results.get(step.id.as_str())),
        )
    });
    let help = help(ctx, run, refusal, answers);
    AppError::Refused(Box::new(Refused {
        reason: RefusalReason::Run(refusal.clone(), Box::new(help)),
        outline,
        position: Some(view::position(state)),
        command,
    }))
}

/// The facts that help to continue after a refusal.
fn help(ctx: &Context, run: &OpenRun, refusal: &Refusal, answers: Vec<AnswerCommand>) -> RunHelp {
    let state = &run.state;
    let token = state.current_token();
    let file = |token: &VisitToken| work_files::text_file(ctx, token).display().to_string();
    let text_file = match refusal {
        _ if *refusal == Refusal::NO_REASON_TO_ACCEPT => {
            token.as_ref().map(|token| TextFile::Reason(file(token)))
        }
        Refusal::Empty(_) => token.as_ref().map(|token| TextFile::Visit(file(token))),
        _ => None,
    };
    let is_untrusted = matches!(refusal, Refusal::Untrusted { .. });
    RunHelp {
        has_ended: !state.status.is_open(),
        directory: run.directory.clone(),
        result: token
            .as_ref()
            .map(|token| ResultPlace::File(work_files::result_file(ctx, token).display().to_string())),
        text_file,
        answers,
        children: child_refusal::commands(ctx, run, refusal),
        end_unanswered: child_refusal::end_unanswered(ctx, run, refusal),
        changed_files: child_refusal::changed_files(ctx, run, refusal),
        trust: is_untrusted.then(|| trust(ctx, run)),
    }
}

/// The commands by which the user trusts a run's skill.
fn trust(ctx: &Context, run: &OpenRun) -> TrustCommands {
    let state = &run.state;
    let drift = Drift::of(ctx, &run.directory, state, &run.compiled).0;
    TrustCommands {
        upgrade: drift.map(|_| ctx.command(&["run", "upgrade", state.id.as_str()])),
        trust: ctx.command(&["-C", &run.directory, "trust", state.skill.as_str()]),
    }
}

/// The command that performs this action on a sub-agent's parent run; `None` for other runs and actions.
fn on_parent_run(ctx: &Context, state: &RunState, action: Action) -> Option<String> {
    let parent = &delegation::child_of(state)?.token.parent;
    match action {
        Action::Upgrade => Some(ctx.command(&["run", "upgrade", parent.run.as_str()])),
        Action::Fork => Some(ctx.command(&["run", "fork", &parent.to_string()])),
        _ => None,
    }
}
