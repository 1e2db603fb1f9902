//! Commands on a run: done, decide, note, pause, resume, cancel, rewind, upgrade.

use bugle_core::engine::{Command, Escalation, GateDecision, Refusal, Report, RunStatus, may_answer};
use bugle_core::id::{RunId, VisitNumber, VisitToken};
use bugle_core::message::is_placeholder;
use bugle_core::ownership::Claim;
use bugle_core::reply::{RefusalReason, ResultPlace, RunNotice};
use bugle_render::run::{self as run_text, WaitingAgent};
use bugle_store::{RunRow, Store};

use super::execute::{Executed, Target, execute};
use super::input::{command_with_result, submitted_result, submitted_text};
use super::refusal::refused;
use super::reply::{Reader, end, reply, step_reply};
use super::summary::agent_name;
use super::{Reply, RunSelector, children, claim, select};
use crate::open_run::OpenRun;
use crate::{AppError, Context, addresses, open_run, pinning, skill_check, view};

/// Why a visit ends without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The agent cannot complete the step.
    Failed,
    /// The orchestrator or the user must act first.
    Escalated(Escalation),
}

/// The arguments of [`done`].
#[derive(Debug, Clone)]
pub struct DoneRequest {
    /// The visit.
    pub visit: VisitToken,
    /// The result, if the command contains it; otherwise the result's file is read.
    pub result: Option<String>,
    /// Whether to end the step even if its sub-agents have open questions.
    pub unanswered: bool,
    /// How and why the visit ends without a result. If the command does not contain the reason, it is read from a
    /// file.
    pub stopped: Option<(Stop, Option<String>)>,
    /// A note to store with the visit.
    pub note: Option<String>,
}

/// A run's current step.
pub fn step(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<Reply, AppError> {
    let mut row = select::select(store, ctx, selector)?;
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::Continue)?;
    let run = open_run::read(store, &row.id, &row.directory)?;
    Ok(reply(store, ctx, &run)?.with_notice(notice))
}

/// Ends a visit; returns the next step.
pub fn done(store: &mut Store, ctx: &Context, request: DoneRequest) -> Result<Reply, AppError> {
    let row = select::select(store, ctx, &RunSelector::Visit(request.visit.clone()))?;
    let token = VisitToken {
        run: row.id.clone(),
        visit: request.visit.visit,
    };
    let is_child = row.child.is_some();
    let reply = end_visit(store, ctx, row, &token, request);
    if let (Err(_), true, Some(session)) = (&reply, is_child, ctx.session.clone()) {
        // The hook records the sub-agent's next attempt. Until then, the main thread cannot report in its place.
        store.forget_subagent_call(&session, &token.to_string())?;
    }
    reply
}

fn end_visit(
    store: &mut Store,
    ctx: &Context,
    mut row: RunRow,
    token: &VisitToken,
    request: DoneRequest,
) -> Result<Reply, AppError> {
    let report = match request.stopped {
        Some((stop, reason)) => {
            let reason = submitted_text(ctx, token, reason)?.unwrap_or_default();
            match stop {
                Stop::Failed => Report::Failed { reason },
                Stop::Escalated(kind) => Report::Escalated { kind, reason },
            }
        }
        None if request.unanswered => Report::Unanswered,
        None => Report::Done(submitted_result(store, ctx, &row, token, request.result.clone())?),
    };
    let note = request.note;
    let session = claim::own_session(store, ctx, &row)?;
    let quiet = match &session {
        Some(session) => claim::quiet_hooks_notice(ctx, &row, session),
        None => claim::hooks_off_notice(ctx, &row),
    };
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::Continue)?;
    let reply = execute_and_reply(store, ctx, Target { row, session }, |_| Command::Done {
        visit: token.visit,
        report: report.clone(),
        note: note.clone(),
    });
    let reply = reply.map_err(|error| match request.result {
        Some(_) => about_given_result(ctx, token, error),
        None => error,
    })?;
    Ok(reply.with_notice(quiet).with_notice(notice))
}

/// A recorded answer.
#[derive(Debug)]
pub struct Decided {
    /// The run's next step, or its end.
    pub reply: Reply,
    /// The agent that continues the run, if a client's session owns the run.
    pub agent: Option<WaitingAgent>,
}

impl Decided {
    /// One sentence about what happens next, for the person who answered.
    pub fn sentence(&self, ctx: &Context) -> String {
        match &self.reply {
            Reply::Step(view) => {
                let step = view::step_command(ctx, &view.position.run);
                run_text::decided(view, self.agent.as_ref(), &step)
            }
            Reply::End(view) => run_text::decided_at_end(view),
        }
    }
}

/// Answers a waiting run's question.
pub fn decide(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    answer: Option<String>,
    why: Option<String>,
) -> Result<Decided, AppError> {
    if answer.as_deref().is_some_and(is_placeholder) || why.as_deref().is_some_and(is_placeholder) {
        return Err(AppError::Usage {
            what: "the command still contains a placeholder; nothing was recorded".to_owned(),
            hints: vec!["Replace TEXT with your answer or your reason.".to_owned()],
        });
    }
    let mut row = select::select(store, ctx, selector)?;
    let token = selector.visit().or(row.visit).map(|visit| VisitToken {
        run: row.id.clone(),
        visit,
    });
    let file_text = match &token {
        Some(token) => submitted_text(ctx, token, None)?,
        None => None,
    };
    // If the command contains the answer, the file contains the reason.
    let (answer, reason) = match answer {
        Some(answer) => (Some(answer), why.or(file_text)),
        None => (file_text, why),
    };
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::Continue)?;
    let reply = execute_and_reply(store, ctx, row.clone().into(), |_| Command::Answer {
        visit: selector.visit(),
        answer: answer.clone(),
        reason: reason.clone(),
    })?;
    let agent = match &row.session {
        Some(_) => {
            let name = agent_name(&row, &store.agents(None)?, &addresses::home(ctx));
            Some(name.map_or(WaitingAgent::Unnamed, |name| WaitingAgent::Named {
                tell: ctx.command(&["say", &format!("@{name} continue")]),
                name,
            }))
        }
        None => None,
    };
    Ok(Decided {
        reply: reply.with_notice(notice),
        agent,
    })
}

/// Checks an answer to a visit's question without recording it. For a gate, returns the decision that matches the
/// answer.
pub fn check_answer(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    visit: VisitNumber,
    answer: &str,
) -> Result<Option<GateDecision>, AppError> {
    let row = select::select(store, ctx, selector)?;
    let run = open_run::read_at(store, &row, visit)?;
    may_answer(&run.state, &run.workflow, visit, answer).map_err(|refusal| refused(ctx, &run, &refusal))
}

/// Adds a note to the current visit.
pub fn note(store: &mut Store, ctx: &Context, selector: &RunSelector, text: &str) -> Result<RunId, AppError> {
    let row = select::select(store, ctx, selector)?;
    execute(store, ctx, row.clone().into(), |_| Command::Note(text.to_owned()))?;
    Ok(row.id)
}

/// Pauses a run.
pub fn pause(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    reason: Option<&str>,
) -> Result<RunId, AppError> {
    let row = select::select(store, ctx, selector)?;
    execute(store, ctx, row.clone().into(), |_| Command::Pause {
        reason: reason.map(str::to_owned),
    })?;
    Ok(row.id)
}

/// Resumes a run, and takes the run over if another session owns it. Returns the run's current step.
pub fn resume(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<Reply, AppError> {
    let mut row = select::select(store, ctx, selector)?;
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::TakeOver)?;
    let reply = execute_and_reply(store, ctx, row.into(), |_| Command::Resume)?;
    Ok(reply.with_notice(notice))
}

/// Cancels a run and its sub-agents' runs.
pub fn cancel(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    reason: Option<&str>,
) -> Result<RunId, AppError> {
    let row = select::select(store, ctx, selector)?;
    let Executed { run, .. } = execute(store, ctx, row.clone().into(), |_| Command::Cancel {
        reason: reason.map(str::to_owned),
    })?;
    children::cancel_children(store, ctx, &run.state)?;
    Ok(row.id)
}

/// Rewinds a run to the point before a visit. Keeps the history.
pub fn rewind(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    to: VisitNumber,
) -> Result<Reply, AppError> {
    let mut row = select::select(store, ctx, selector)?;
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::Continue)?;
    let reply = execute_and_reply(store, ctx, row.into(), |_| Command::Rewind { to })?;
    Ok(reply.with_notice(notice))
}

/// Upgrades a run to the installed version of its skill.
pub fn upgrade(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<Reply, AppError> {
    let mut row = select::select(store, ctx, selector)?;
    let run_ctx = ctx.rooted(&row.directory);
    let found = crate::catalogue::find(&run_ctx, &row.skill).ok_or_else(|| AppError::NotFound {
        what: format!("the skill `{}` is not installed", row.skill),
        hints: Vec::new(),
    })?;
    let package = skill_check::check_found(&run_ctx, found);
    crate::preview::sound_workflow(&package, ctx)?;
    let Some((version, compiled)) = pinning::pin(store, ctx, &package)? else {
        return Err(AppError::System("cannot pin the skill".to_owned()));
    };
    let notice = claim::claim_with_notice(store, ctx, &mut row, Claim::Continue)?;
    let Executed { run, .. } = execute(store, ctx, row.into(), |_| Command::Upgrade {
        pin: version.clone(),
        workflow: &compiled.workflow,
    })?;
    // Load the new version of the skill, which the run uses from now on.
    let run = open_run::opened(store, run.state, run.directory)?;
    let upgraded = RunNotice::Upgraded {
        run: run.state.id.clone(),
        version,
    };
    let reply = reply(store, ctx, &run)?;
    Ok(reply.with_notice(notice).with_notice(Some(upgraded)))
}

fn execute_and_reply<'a>(
    store: &mut Store,
    ctx: &Context,
    target: Target,
    command: impl Fn(&OpenRun) -> Command<'a>,
) -> Result<Reply, AppError> {
    let session = target.session.clone();
    let Executed { run, loaded } = execute(store, ctx, target, command)?;
    if run.state.status == RunStatus::Cancelled {
        // The user's decision cancelled the run, so the reply describes the run's end and is not a refusal.
        children::cancel_children(store, ctx, &run.state)?;
        return Ok(Reply::End(Box::new(end(store, ctx, &run, loaded.parent)?)));
    }
    step_reply(
        store,
        ctx,
        &run,
        loaded,
        &Reader::Continues(session.map(Box::new)),
    )
}

/// Rewords a refusal for a result that the command contains instead of a file.
fn about_given_result(ctx: &Context, token: &VisitToken, error: AppError) -> AppError {
    let mut refused = match error {
        AppError::Refused(refused) => refused,
        other => return other,
    };
    if let RefusalReason::Run(refusal, help) = &mut refused.reason
        && matches!(
            refusal,
            Refusal::ResultMismatch { .. }
                | Refusal::ChecksFailed { .. }
                | Refusal::ChecksMissing(_)
                | Refusal::EvidenceUnmet(_)
                | Refusal::UnknownDispute { .. }
                | Refusal::Untrusted { .. }
        )
    {
        help.result = Some(ResultPlace::Command);
        refused.command = Some(command_with_result(ctx, token));
    }
    AppError::Refused(refused)
}
