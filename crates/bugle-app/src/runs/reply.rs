//! The reply to a command on a run: its current step, or its end.

use bugle_core::engine::{
    Assignment, Refusal, ReworkBrief, RunState, RunStatus, Visit, context, iteration, judged_tree, stale,
    verdict_of,
};
use bugle_core::id::VisitNumber;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{Author, EndView, RunEnding, RunNotice};
use bugle_core::workflow::Workflow;
use bugle_store::{SessionRow, Store};
use serde_json::Value;

use super::loaded::{Children, Drift, Loaded, ParentRun};
use super::refusal::refused;
use super::{Reply, also_found, child_report, run_tree};
use crate::delegation::Subagents;
use crate::open_run::OpenRun;
use crate::view::{self, StepContext};
use crate::{AppError, Context, delegation, fs_util, pinning};

/// A run's current step, or its end; a refusal if the run is paused or cancelled.
pub(crate) fn reply(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Reply, AppError> {
    step_reply(store, ctx, run, Loaded::default(), &Reader::Someone)
}

/// What the reader of a step already knows.
#[derive(Debug, Clone)]
pub(crate) enum Reader {
    /// The agent that has just ended the visit before, in this session.
    Continues(Option<Box<SessionRow>>),
    /// A person, or an agent that knows its role.
    Someone,
    /// An agent that may not know its role.
    New,
}

impl Reader {
    /// Whether the reader still has the text of the step's previous visit: the same session ended that visit and has not
    /// lost its context since. A sub-agent may have been compacted apart from its session.
    fn remembers(&self, state: &RunState, visit: &Visit) -> bool {
        let Self::Continues(Some(session)) = self else {
            return false;
        };
        let mut earlier = state.lineage(visit.number).skip(1);
        let before = earlier.find(|earlier| earlier.step == visit.step && earlier.ending.is_some());
        delegation::child_of(state).is_none()
            && before.is_some_and(|before| {
                let by = before.ending.as_ref().and_then(|ending| ending.by.session());
                by == Some(&session.id) && session.memory.remembers(before.entered_at)
            })
    }
}

/// Like [`reply`], but reuses the data in `loaded`. Creates the folder for results.
pub(crate) fn step_reply(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    loaded: Loaded,
    reader: &Reader,
) -> Result<Reply, AppError> {
    let reply = describe(store, ctx, run, loaded, reader)?;
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
    reader: &Reader,
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
    let remembers = reader.remembers(state, visit);
    let values = template_values(run, visit.number, remembers);
    let step_context = StepContext {
        role,
        role_definition,
        shows_role: delegation::child_of(state).is_some()
            && (matches!(reader, Reader::New) || visit.after.is_none()),
        delegation: delegation::delegation(ctx, state, workflow, step, visit, &subagents),
        position: view::position(state),
        task: view::task(state),
        iteration: iteration(state, workflow, visit.number),
        token,
        context: &values,
        notices,
    };
    pinning::plan_texts(store, compiled, &view::files(step))?;
    let mut view = view::step_view(ctx, step, step_context, &mut |path| {
        pinning::text(store, compiled, path)
    })?;
    if remembers {
        view::leave_out_documents(&mut view, step, view::step_command(ctx, &state.id));
    }
    Ok(Reply::Step(Box::new(view)))
}

/// The template values at a visit, for a reader that may remember the step's previous visit.
fn template_values(run: &OpenRun, visit: VisitNumber, remembers: bool) -> Value {
    let values = context(&run.state, &run.workflow, visit);
    if remembers {
        values.remembered().for_templates()
    } else {
        values.for_templates()
    }
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
    notices.extend(also_found::notice(ctx, state));
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

/// A notice about a loop that ended without meeting its condition.
fn exhaustion(state: &RunState, workflow: &Workflow, visit: &Visit) -> Option<RunNotice> {
    if visit.ending.as_ref().is_some_and(|ending| ending.no_progress) {
        return Some(RunNotice::NoProgress {
            step: visit.step.clone(),
        });
    }
    let exhausted = visit.ending.as_ref().is_some_and(|ending| ending.exhausted);
    // A gate needs no notice: at its limit the user decides, and the verdict has its own text.
    (exhausted && verdict_of(visit).is_none()).then(|| RunNotice::LimitReached {
        step: visit.step.clone(),
        rounds: iteration(state, workflow, visit.number),
    })
}
