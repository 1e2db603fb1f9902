//! Sub-agents' runs: start, resume, retry, cancel.

use bugle_core::engine::{
    AnsweredEscalation, ChildOrigin, ChildState, ChildWork, Command, Decision, Environment, Origin, Refusal,
    RunState, RunStatus, decide, incomplete_reviews, resolve_params, stale,
};
use bugle_core::id::{ChildToken, VisitToken};
use bugle_core::reply::{RefusalReason, TextFile};
use bugle_core::workflow::{StepDef, StepText};
use bugle_render::template::Engine;
use bugle_store::{ProjectId, RunRow, Store, retry as retry_conflicts};

use super::input::submitted_text_in;
use super::loaded::{Children, Loaded};
use super::refusal::refused;
use super::reply::{Reader, reply, step_reply};
use super::run_tree::{abandoned_by, is_waited_for};
use super::self_review::Reviewers;
use super::{Reply, execute, select, start};
use crate::delegation::child_of;
use crate::error::conflict;
use crate::open_run::OpenRun;
use crate::{AppError, Context, open_run, pinning, work_files};

/// Starts a sub-agent's run, or resumes a run that was started before.
pub fn start_child(store: &mut Store, ctx: &Context, token: &ChildToken) -> Result<Reply, AppError> {
    retry_conflicts(|| {
        let (row, parent) = parent_of(store, ctx, token)?;
        let token = &full_token(&parent, token);
        let step = dispatch_step(ctx, &parent, token)?;
        let latest = latest_attempt(store, token)?;
        let is_unfinished = |run: &OpenRun| {
            matches!(run.state.status, RunStatus::Active | RunStatus::Cancelled) || run.state.is_released()
        };
        if latest.as_ref().is_none_or(is_unfinished) {
            Reviewers::new(None).refuse_to_start_own_review(store, ctx, &parent, &row, token)?;
        }
        let must_create = match latest.as_ref().map(|run| run.state.status) {
            None => true,
            Some(RunStatus::Cancelled) => is_waited_for(&parent, token),
            Some(_) => false,
        };
        if let Some(run) = latest.as_ref().filter(|_| !must_create) {
            return Ok(resume_reply(store, ctx, run)?);
        }
        if !is_waited_for(&parent, token) {
            return Err(refused(ctx, &parent, &late_refusal(&parent, token)).into());
        }
        let attempt = latest.as_ref().map_or(1, |run| attempt_number(&run.state) + 1);
        let planned = (step, token, attempt, None);
        match create_child(store, ctx, &row.project, &parent, planned)? {
            Some(run) => Ok(resume_reply(store, ctx, &run)?),
            None => Err(conflict(&format!(
                "other processes kept starting sub-agent {token}; try again"
            ))),
        }
    })
}

/// Restarts a stopped sub-agent with the answer to its question. Returns the parent run's step, which contains the
/// command that starts the sub-agent.
pub fn retry(
    store: &mut Store,
    ctx: &Context,
    token: &ChildToken,
    answer: Option<String>,
) -> Result<Reply, AppError> {
    let (row, parent) = parent_of(store, ctx, token)?;
    let token = &full_token(&parent, token);
    let step = dispatch_step(ctx, &parent, token)?;
    let reports = Children::read(store, &parent.state)?.reports;
    if !is_waited_for(&parent, token) {
        return Err(refused(ctx, &parent, &late_refusal(&parent, token)));
    }
    let report = reports.iter().find(|report| report.slot == token.slot);
    let visit = token.parent.visit;
    let must_review_again = || {
        let now = ctx.fingerprint.get(std::path::Path::new(&parent.directory));
        let left_out = || incomplete_reviews(&parent.state, &parent.workflow, visit, &reports);
        step.gate.is_some()
            && (stale(&reports, now.as_deref()).contains(&token.slot)
                || left_out().iter().any(|(slot, _)| *slot == token.slot))
    };
    let answered = match report.map(|report| &report.state) {
        Some(ChildState::Escalated(kind, reason)) => {
            let file = work_files::answer_file(ctx, token);
            let answer = submitted_text_in(&file, answer)?.filter(|answer| !answer.is_empty());
            let Some(answer) = answer else {
                let mut refusal = refused(ctx, &parent, &Refusal::Empty("the answer"));
                if let AppError::Refused(refused) = &mut refusal
                    && let RefusalReason::Run(_, help) = &mut refused.reason
                {
                    help.text_file = Some(TextFile::Answer(file.display().to_string()));
                    refused.command = Some(ctx.command(&["run", "retry", &token.to_string()]));
                }
                return Err(refusal);
            };
            Some(AnsweredEscalation {
                kind: *kind,
                reason: reason.clone(),
                answer,
            })
        }
        Some(ChildState::Failed(_) | ChildState::Cancelled) => None,
        Some(ChildState::Finished(_)) if must_review_again() => None,
        Some(ChildState::Finished(_)) => {
            return Err(refused(ctx, &parent, &Refusal::HasReported(token.slot)));
        }
        None
        | Some(
            ChildState::NotStarted
            | ChildState::Working(_)
            | ChildState::Waiting
            | ChildState::Left
            | ChildState::Paused,
        ) => return Err(refused(ctx, &parent, &Refusal::StillOpen(token.slot))),
    };
    let attempt = latest_attempt(store, token)?.map_or(1, |run| attempt_number(&run.state) + 1);
    create_child(
        store,
        ctx,
        &row.project,
        &parent,
        (step, token, attempt, answered),
    )?;
    let _ = std::fs::remove_file(work_files::answer_file(ctx, token));
    reply(store, ctx, &parent)
}

/// Cancels the open runs of a cancelled run's sub-agents.
pub(super) fn cancel_children(store: &mut Store, ctx: &Context, state: &RunState) -> Result<(), AppError> {
    for row in store.open_children(&state.id)? {
        let reason = Some(format!("run {} was cancelled", state.id));
        cancel_run(store, ctx, &row, reason.as_deref())?;
    }
    Ok(())
}

/// The run that dispatched a sub-agent, and its row.
fn parent_of(store: &mut Store, ctx: &Context, token: &ChildToken) -> Result<(RunRow, OpenRun), AppError> {
    let row = select::select(store, ctx, &super::RunSelector::Visit(token.parent.clone()))?;
    let run = open_run::read_at(store, &row, token.parent.visit)?;
    Ok((row, run))
}

/// The step that dispatched a sub-agent.
fn dispatch_step<'a>(
    ctx: &Context,
    parent: &'a OpenRun,
    token: &ChildToken,
) -> Result<&'a StepDef, AppError> {
    let number = token.parent.visit;
    let Some(visit) = parent.state.visit(number) else {
        return Err(refused(ctx, parent, &Refusal::UnknownVisit(number)));
    };
    let count = visit.children().len();
    let known = usize::try_from(token.slot).is_ok_and(|slot| (1..=count).contains(&slot));
    let step = parent.workflow.step(&visit.step).filter(|_| known);
    let Some(step) = step else {
        let refusal = Refusal::UnknownChild {
            slot: token.slot,
            children: count,
        };
        return Err(refused(ctx, parent, &refusal));
    };
    Ok(step)
}

fn latest_attempt(store: &mut Store, token: &ChildToken) -> Result<Option<OpenRun>, AppError> {
    let rows = store.children(&token.parent.run, token.parent.visit)?;
    let row = rows
        .into_iter()
        .find(|row| row.child.as_ref().is_some_and(|child| child.slot == token.slot));
    row.map(|row| open_run::read(store, &row.id, &row.directory))
        .transpose()
}

/// The reply to an agent that starts or resumes a sub-agent's run: the full step, with the role's text.
fn resume_reply(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Reply, AppError> {
    if let Some(parent) = abandoned_by(store, &run.state)? {
        return Err(refused(ctx, run, &Refusal::ParentGone(parent)));
    }
    if run.state.is_released() || run.state.awaits_start() {
        // The agent that receives the step must report, even if it replaces an agent that left.
        let row = select::select(store, ctx, &super::RunSelector::Run(run.state.id.clone()))?;
        let resumed = execute::execute(store, ctx, row.into(), |_| Command::Resume)?;
        return step_reply(store, ctx, &resumed.run, resumed.loaded, &Reader::New);
    }
    step_reply(store, ctx, run, Loaded::default(), &Reader::New)
}

/// Creates a sub-agent's run; `None` if another process created it first.
fn create_child(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    parent: &OpenRun,
    (step, token, attempt, answered): (&StepDef, &ChildToken, u32, Option<AnsweredEscalation>),
) -> Result<Option<OpenRun>, AppError> {
    if parent.state.status == RunStatus::Cancelled {
        return Err(refused(ctx, parent, &Refusal::WrongStatus(RunStatus::Cancelled)));
    }
    let planned = ChildOrigin::of(
        &parent.state,
        &parent.workflow,
        token,
        (attempt, answered),
        |text, values| {
            let text = match text {
                StepText::Inline(text) | StepText::Literal(text) => text.clone(),
                StepText::File(path) => pinning::text(store, &parent.compiled, path)?,
            };
            Engine::default()
                .render(&text, values)
                .map_err(|error| AppError::Text {
                    what: format!("cannot render the brief for step `{}`: {error}", step.id),
                    hints: Vec::new(),
                })
        },
    )?;
    let Some((child, given)) = planned else {
        return Err(refused(ctx, parent, &Refusal::UnknownVisit(token.parent.visit)));
    };
    let is_brief = matches!(child.work, ChildWork::Brief(_));
    let origin = Origin::Child(child);
    let workflow = parent.compiled.workflow_of(&origin).ok_or_else(|| {
        AppError::System(format!(
            "the pinned skill does not contain the workflow of step `{}`",
            step.id
        ))
    })?;
    // A brief has no params: its text already contains their values.
    let params = if is_brief {
        given
    } else {
        resolve_params(&workflow, &given).map_err(|bad| AppError::Params {
            skill: format!("{} ({})", parent.state.skill, step.id),
            bad,
            command: None,
            expected: crate::preview::param_lines(&workflow),
        })?
    };
    let (skill, pin) = (parent.state.skill.clone(), parent.state.pin.clone());
    let events = match bugle_core::engine::start(skill, pin, &workflow, params, origin) {
        Ok(events) => events,
        Err(refusal) => return Err(refused(ctx, parent, &refusal)),
    };
    let created = start::create(store, ctx, project, &parent.directory, &workflow, events)?;
    Ok(created.map(|state| OpenRun {
        state,
        workflow,
        compiled: parent.compiled.clone(),
        directory: parent.directory.clone(),
    }))
}

/// Cancels a run and all runs of its sub-agents.
fn cancel_run(store: &mut Store, ctx: &Context, row: &RunRow, reason: Option<&str>) -> Result<(), AppError> {
    let cancelled = retry_conflicts(|| {
        let run = open_run::read(store, &row.id, &row.directory)?;
        let command = Command::Cancel {
            reason: reason.map(str::to_owned),
        };
        let Decision::Accept(events) = decide(&run.state, &run.workflow, command, Environment::unknown())
        else {
            return Ok(None);
        };
        match execute::append(store, ctx, run, &ctx.actor, events, None)? {
            Some(cancelled) => Ok(Some(cancelled)),
            None => Err(conflict(&format!(
                "run {} was not cancelled, because other processes kept changing it; try again",
                row.id
            ))),
        }
    })?;
    match cancelled {
        Some(cancelled) => cancel_children(store, ctx, &cancelled.state),
        None => Ok(()),
    }
}

/// Replaces the run's id in a token with the full id, because a command may contain only a prefix.
fn full_token(parent: &OpenRun, token: &ChildToken) -> ChildToken {
    ChildToken {
        parent: VisitToken {
            run: parent.state.id.clone(),
            visit: token.parent.visit,
        },
        slot: token.slot,
    }
}

fn attempt_number(state: &RunState) -> u32 {
    child_of(state).map_or(0, |child| child.attempt)
}

/// The refusal for a sub-agent whose result the parent run no longer needs.
fn late_refusal(parent: &OpenRun, token: &ChildToken) -> Refusal {
    let visit = parent.state.visit(token.parent.visit);
    match (parent.state.status, visit.and_then(|visit| visit.ending.as_ref())) {
        (RunStatus::Cancelled, _) => Refusal::WrongStatus(RunStatus::Cancelled),
        (_, ending) => Refusal::StaleVisit {
            visit: token.parent.visit,
            ended: ending.map(|ending| ending.outcome),
        },
    }
}
