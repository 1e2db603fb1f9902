//! Refusals, with the command to run next.

use bugle_core::engine::{Refusal, RunState, RunStatus};
use bugle_core::reply::RefusalView;
use bugle_core::rights::Action;
use bugle_render::evidence_text;

use super::child_refusal;
use super::loaded::Drift;
use crate::open_run::OpenRun;
use crate::{AppError, Context, answer_commands, delegation, view, work_files};

/// A refusal with the run's position and the command that continues from there.
pub(crate) fn refused(ctx: &Context, run: &OpenRun, refusal: &Refusal) -> AppError {
    let state = &run.state;
    let text = bugle_render::refusal_text::refusal(refusal);
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
        answer_commands::answer_lines(ctx, run)
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
        // The refusal's details already list a command for each answer.
        _ if !answers.is_empty() => None,
        _ => match state.status {
            RunStatus::Active | RunStatus::Waiting => Some(view::step_command(ctx, &state.id)),
            RunStatus::Paused => Some(ctx.command(&["run", "resume", id])),
            RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => {
                Some(ctx.command(&["run", "show", id]))
            }
        },
    };
    let mut details: Vec<String> = match refusal {
        Refusal::EvidenceUnmet(reports) => reports
            .iter()
            .map(|report| evidence_text::report_in(&run.directory, report))
            .collect(),
        _ => child_refusal::details_about_children(ctx, run, refusal, text.details),
    };
    let remedy = remedy(ctx, state, refusal, text.remedy);
    if !answers.is_empty() {
        details = answers;
    }
    if let (Refusal::Empty(_), Some(token)) = (refusal, state.current_token()) {
        let file = work_files::text_file(ctx, &token);
        let file = file.display();
        details.push(if *refusal == Refusal::NO_REASON_TO_ACCEPT {
            format!("add the reason to the command with `--why`, or write the reason to {file}")
        } else {
            format!("add the missing text to the command, or write the text to {file}")
        });
    }
    if matches!(refusal, Refusal::Untrusted { .. }) {
        if Drift::of(ctx, &run.directory, state, &run.compiled).0.is_some() {
            let upgrade = ctx.command(&["run", "upgrade", id]);
            details.push(format!(
                "the skill has changed since the run started; if the user trusts the new version, upgrade the run: {upgrade}"
            ));
        }
        let trust = ctx.command(&["-C", &run.directory, "trust", state.skill.as_str()]);
        details.push(format!("the user can trust the skill with: {trust}"));
    }
    let step = state.current().and_then(|visit| run.workflow.step(&visit.step));
    let outline = text.outline.map(|shape| step.map_or(shape, view::result_outline));
    AppError::Refused(Box::new(RefusalView {
        code: refusal.code().to_owned(),
        message: text.message,
        details,
        outline,
        remedy,
        position: Some(view::position(state)),
        command,
    }))
}

/// The remedy for a refusal; it may name the file for the result. `usual` is the default remedy.
fn remedy(ctx: &Context, state: &RunState, refusal: &Refusal, usual: String) -> String {
    if matches!(refusal, Refusal::StaleVisit { .. }) && !state.status.is_open() {
        return "The run has ended, so there is nothing left to do.".to_owned();
    }
    let Some(token) = state.current_token() else {
        return usual;
    };
    let file = work_files::result_file(ctx, &token);
    let file = file.display();
    match refusal {
        Refusal::ResultMissing(_) => {
            format!("Write the result as JSON to {file}, and run the same command again.")
        }
        Refusal::ResultMismatch { .. } | Refusal::ChecksFailed { .. } => {
            format!("Fix the result in {file}, and run the same command again.")
        }
        Refusal::ChecksMissing(_) => {
            format!("Run the missing checks, add them to `checks` in {file}, and run the same command again.")
        }
        _ => usual,
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
