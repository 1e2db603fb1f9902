//! The reply to a command on a run: its current step, or its end.

use bugle_core::engine::{
    Assignment, Refusal, ReworkBrief, RunState, RunStatus, context, iteration, judged_tree, stale, verdict_of,
};
use bugle_core::outcome::Outcome;
use bugle_core::reply::{Author, EndView, RunEnding, RunNotice};
use bugle_core::workflow::Workflow;
use bugle_store::Store;

use super::loaded::{Children, Drift, Loaded, ParentRun};
use super::refusal::refused;
use super::{Reply, child_report, run_tree};
use crate::delegation::Subagents;
use crate::open_run::OpenRun;
use crate::view::{self, StepContext};
use crate::{AppError, Context, delegation, fs_util, pinning};

/// A run's current step, or its end; a refusal if the run is paused or cancelled.
pub(crate) fn reply(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Reply, AppError> {
    step_reply(store, ctx, run, Loaded::default(), false)
}

/// Like [`reply`], but reuses the data in `loaded`. `shows_role` repeats the role's text for a sub-agent that may not
/// know it. Creates the folder for results.
pub(crate) fn step_reply(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    loaded: Loaded,
    shows_role: bool,
) -> Result<Reply, AppError> {
    let reply = describe(store, ctx, run, loaded, shows_role)?;
    if let Reply::Step(view) = &reply
        && (view.result.is_some()
            || view.failure_file.is_some()
            || view.ask.is_some()
            || view.dispatch.is_some())
    {
        fs_util::create_private_dir(&ctx.work_folder(&run.state.id))?;
    }
    Ok(reply)
}

/// Like [`step_reply`], but changes neither the store nor the disk.
pub(crate) fn describe(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    loaded: Loaded,
    shows_role: bool,
) -> Result<Reply, AppError> {
    let Loaded {
        children,
        parent,
        drift,
    } = loaded;
    let OpenRun {
        state,
        workflow,
        compiled,
        directory,
    } = run;
    match state.status {
        RunStatus::Active | RunStatus::Waiting => {}
        RunStatus::Completed | RunStatus::Failed => {
            return Ok(Reply::End(Box::new(end(store, ctx, run, parent)?)));
        }
        RunStatus::Cancelled if delegation::child_of(state).is_some() => {
            let refusal = match run_tree::abandoned_by(store, state)? {
                Some(parent) => Refusal::ParentGone(parent),
                None => Refusal::WrongStatus(state.status),
            };
            return Err(refused(ctx, run, &refusal));
        }
        RunStatus::Paused | RunStatus::Cancelled => {
            return Err(refused(ctx, run, &Refusal::WrongStatus(state.status)));
        }
    }
    let (Some(visit), Some(token)) = (state.current(), state.current_token()) else {
        return Err(AppError::System(format!(
            "run {} is open but has no current step",
            state.id
        )));
    };
    let step = workflow.step(&visit.step).ok_or_else(|| {
        AppError::System(format!(
            "run {}: the skill does not contain the current step",
            state.id
        ))
    })?;
    let reports = match children.filter(|children| children.are_of(state)) {
        Some(children) => children.reports,
        None => Children::read(store, state)?.reports,
    };
    let (role, is_assigned) = delegation::role_of(Some(state), step);
    let role_definition = compiled.roles.get(&role).filter(|_| is_assigned);
    let mut notices = notices(ctx, run, drift);
    let is_reviewed = step.gate.is_some() && reports.iter().any(|report| report.tree.is_some());
    let judged = judged_tree(state, step, visit, &step.permitted(role_definition));
    let now = if is_reviewed || judged.is_some() {
        ctx.fingerprint.get(std::path::Path::new(directory))
    } else {
        None
    };
    let outdated = if is_reviewed {
        stale(&reports, now.as_deref())
    } else {
        Vec::new()
    };
    if !outdated.is_empty() {
        notices.push(RunNotice::ReviewOutdated);
    }
    if let Some(judged) = judged
        && now.is_some_and(|now| now != judged)
    {
        notices.push(RunNotice::VerdictOutdated);
    }
    let child_role = step
        .dispatch
        .as_ref()
        .and_then(|dispatch| compiled.roles.get(&dispatch.role));
    let subagents = Subagents {
        reports: &reports,
        outdated: &outdated,
        role: child_role,
    };
    let values = context(state, workflow, visit.number).for_templates();
    let step_context = StepContext {
        role,
        role_definition,
        shows_role: delegation::child_of(state).is_some() && (shows_role || visit.after.is_none()),
        delegation: delegation::delegation(ctx, state, workflow, step, visit, &subagents),
        position: view::position(state),
        task: view::task(state),
        iteration: iteration(state, workflow, visit.number),
        token,
        context: &values,
        notices,
    };
    pinning::plan_texts(store, compiled, &view::files(step))?;
    let view = view::step_view(ctx, step, step_context, &mut |path| {
        pinning::text(store, compiled, path)
    })?;
    Ok(Reply::Step(Box::new(view)))
}

/// Plans the queries for the texts of a run's current step.
pub(crate) fn plan_step(store: &mut Store, run: &OpenRun) -> Result<(), AppError> {
    let step = run
        .state
        .current()
        .and_then(|visit| run.workflow.step(&visit.step));
    step.map_or(Ok(()), |step| {
        pinning::plan_texts(store, &run.compiled, &view::files(step))
    })
}

/// A run's end. `parent` is the parent run, if the caller has read it.
pub(super) fn end(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    parent: Option<ParentRun>,
) -> Result<EndView, AppError> {
    let state = &run.state;
    let orchestrator = child_report::report_to_orchestrator(store, ctx, run, parent)?;
    let mut notices = Vec::new();
    if let Some(visit) = state.head() {
        notices.extend(exhaustion(state, &run.workflow, visit));
    }
    Ok(EndView {
        position: view::position(state),
        ending: RunEnding::of(state),
        notices,
        command: ctx.command(&["run", "show", state.id.as_str()]),
        orchestrator,
    })
}

/// Notices for an agent that continues a run: notes, answers, earlier failures, a changed skill.
fn notices(ctx: &Context, run: &OpenRun, drift: Option<Drift>) -> Vec<RunNotice> {
    let OpenRun {
        state,
        workflow,
        compiled,
        directory,
    } = run;
    let mut notices: Vec<RunNotice> = state
        .current()
        .into_iter()
        .flat_map(|visit| &visit.notes)
        .map(|note| RunNotice::Noted {
            by: Author::from(&note.by),
            text: note.text.clone(),
        })
        .collect();
    if let Some(answered) = delegation::child_of(state).and_then(|child| child.answered.as_ref()) {
        notices.push(RunNotice::Restarted {
            kind: answered.kind,
            reason: answered.reason.clone(),
            answer: answered.answer.clone(),
        });
    }
    let child = delegation::child_of(state).map(|child| &child.assignment);
    if let Some(Assignment::Rework(ReworkBrief {
        wanted: Some(why), ..
    })) = child
    {
        notices.push(RunNotice::FixWanted { why: why.clone() });
    }
    let before = state.current().and_then(|visit| state.visit(visit.after?));
    if let Some(before) = before {
        notices.extend(exhaustion(state, workflow, before));
        let ending = before.ending.as_ref();
        if let Some((answer, why)) = before.explained() {
            notices.push(RunNotice::Answered {
                step: before.step.clone(),
                answer: answer.to_owned(),
                why: why.to_owned(),
            });
        } else if let Some(reason) = ending
            .filter(|end| end.outcome == Outcome::Fail)
            .and_then(|end| end.reason.as_ref())
        {
            notices.push(RunNotice::StepFailed {
                step: before.step.clone(),
                reason: reason.clone(),
            });
        }
    }
    // A sub-agent works with its pinned skill and cannot upgrade it.
    if delegation::child_of(state).is_some() {
        return notices;
    }
    let drift = drift.unwrap_or_else(|| Drift::of(ctx, directory, state, compiled));
    notices.extend(drift.0);
    notices
}

/// A notice about a loop that reached its limit without meeting its condition.
fn exhaustion(state: &RunState, workflow: &Workflow, visit: &bugle_core::engine::Visit) -> Option<RunNotice> {
    let exhausted = visit.ending.as_ref().is_some_and(|ending| ending.exhausted);
    // A gate needs no notice: at its limit the user decides, and the verdict has its own text.
    (exhausted && verdict_of(visit).is_none()).then(|| RunNotice::LimitReached {
        step: visit.step.clone(),
        rounds: iteration(state, workflow, visit.number),
    })
}
