//! Gathers the facts of a wake-up, before they are cut to the budget.

use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{ProjectId, Store};
use bugle_wire::{CommandView, HeldRun, StepView, TaskPosition, WakeFacts};

use super::actor_names::ActorNames;
use super::lost_work::{LostWork, lost_work};
use super::next_action::next_action;
use super::recovery::Replacement;
use super::task_facts::{CurrentWork, add_history, counts};
use super::unfinished_work::take_over;
use super::{Gathered, ShortClock, WakeRequest};
use crate::agents::Me;
use crate::open_run::{OpenRun, RunWithEvents};
use crate::ownership::{Worker, caller_as_worker};
use crate::runs::{Loaded, Reply};
use crate::tasks::{CurrentTask, PositionContext};
use crate::wakeup::{full_command, messages, recovery, run_selection};
use crate::{AppError, Context, addresses, agents, ownership, projects, runs, tasks};

/// The open step of a run, or why it cannot be shown: a broken skill must not hide tasks and messages.
fn open_step(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
) -> Result<(Option<StepView>, Option<String>), AppError> {
    match step_of(store, ctx, run) {
        Err(AppError::Text { what, hints }) => {
            let why = format!("A run is open here, but {what}. {}", hints.join(" "));
            Ok((None, Some(why)))
        }
        step => Ok((step?, None)),
    }
}

/// The worker whose tasks the woken agent sees: the lost agent, the named one, or the caller.
fn worker_of(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    me: Option<&Me>,
    lost: Option<&LostWork>,
    named: Option<&AgentName>,
) -> Result<Option<Worker>, AppError> {
    let lost_name = lost.and_then(LostWork::agent_name);
    let (name, row) = match lost {
        Some(lost) => (lost_name.as_ref(), lost.row.as_ref()),
        None => (named, me.and_then(|me| me.row.as_ref())),
    };
    match (name, row) {
        (None, _) if lost.is_some() => ownership::worker(store, ctx),
        (None, row) => Ok(caller_as_worker(ctx, row)),
        (Some(name), Some(row)) if row.address.home() == addresses::home(ctx) => {
            Ok(Some(Worker::named(name, row)))
        }
        (Some(name), _) => ownership::worker_named(store, ctx, project, name).map(Some),
    }
}

/// The agent that wakes up; `None` if the request names none and there is no session.
fn woken_agent(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    project: Option<&ProjectId>,
) -> Result<Option<Me>, AppError> {
    let me = agents::me_in(store, ctx, request.agent.as_deref(), project);
    match (&request.agent, me) {
        (_, Ok(me)) => Ok(Some(me)),
        (None, Err(AppError::Usage { .. })) => Ok(None),
        (_, Err(error)) => Err(error),
    }
}

/// The command that takes over the current task from a lost agent, if that agent had it.
fn lost_task(
    ctx: &Context,
    lost: Option<&LostWork>,
    position: Option<&TaskPosition>,
    request: &WakeRequest,
) -> Option<CommandView> {
    let task = &position?.task.id;
    lost?
        .has_task(task)
        .then(|| take_over(ctx, task, request.agent.as_deref()))
}

/// An agent as it is addressed in its own project.
fn shown_name(me: &Me) -> String {
    format!("@{}", me.address.seen_from(&me.home))
}

/// The work of a woken agent, as it was read.
struct WokenWork {
    project: Option<ProjectId>,
    me: Option<Me>,
    /// The agent that it replaces.
    lost: Option<LostWork>,
    run: Option<RunWithEvents>,
    owner_notice: Option<String>,
    held: Option<HeldRun>,
    other_runs: u32,
    step: Option<StepView>,
    /// Why the step cannot be shown.
    step_problem: Option<String>,
    worker: Option<Worker>,
    at: Option<CurrentTask>,
}

/// Reads the run and the task of the woken agent.
fn read_work(store: &mut Store, ctx: &Context, request: &WakeRequest) -> Result<WokenWork, AppError> {
    let project = projects::project(store, ctx)?;
    let here = project.as_ref();
    let me = woken_agent(store, ctx, request, here)?;
    let lost = match &request.replaces {
        Some(replaced) => Some(lost_work(store, ctx, &replaced.agent, here, me.as_ref())?),
        None => None,
    };
    let name = request.agent.as_deref();
    let session = name.map(|name| session_of(name, me.as_ref()));
    let selection = match &lost {
        Some(lost) => run_selection::select_run_of(store, ctx, lost, request)?,
        None => run_selection::select_run(store, ctx, here, session, request)?,
    };
    let run = match (&selection.run, &lost) {
        (None, _) => None,
        (Some(row), None) => Some(RunWithEvents::read(store, row)?),
        // What the lost agent did may be long ago.
        (Some(row), Some(_)) => Some(RunWithEvents::read_whole(store, row)?),
    };
    let (step, step_problem) = match &run {
        Some(run) => open_step(store, ctx, &run.run)?,
        None => (None, None),
    };
    let name = name.and_then(|name| AgentName::new(name.trim_start_matches('@')).ok());
    let (mut worker, mut at) = (None, None);
    if let Some(project) = here {
        worker = worker_of(store, ctx, project, me.as_ref(), lost.as_ref(), name.as_ref())?;
        let known = PositionContext {
            worker: worker.as_ref(),
            here,
            active: lost.as_ref().map(|lost| lost.active.as_slice()),
            plan: None,
        };
        at = tasks::position_of(store, ctx, project.clone(), known)?;
    }
    Ok(WokenWork {
        project,
        me,
        lost,
        run,
        owner_notice: selection.owner_notice,
        held: selection.held,
        other_runs: selection.others,
        step,
        step_problem,
        worker,
        at,
    })
}

/// Gathers the facts of a wake-up.
pub(super) fn gather(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
) -> Result<Gathered, AppError> {
    let WokenWork {
        project,
        me,
        lost,
        run,
        owner_notice,
        held,
        mut other_runs,
        step,
        mut step_problem,
        worker,
        at,
    } = read_work(store, ctx, request)?;
    let is_broken = step_problem.is_some();
    if is_broken {
        other_runs = other_runs.saturating_add(1);
    }
    let position = at.as_ref().map(|at| at.view.clone());
    let own = me.as_ref().and_then(|me| me.row.as_ref());
    let others = lost.as_ref().and_then(|lost| lost.row.as_ref());
    let mut actors = ActorNames::new(ctx, project.as_ref(), own.into_iter().chain(others));
    let recovery = match (&lost, &request.replaces) {
        (Some(lost), Some(replaced)) => {
            let replacement = Replacement {
                lost,
                replaced,
                agent: request.agent.as_deref(),
                project: project.as_ref(),
                run: run.as_ref(),
                step: step.as_ref(),
                is_broken,
                current: at.as_ref(),
            };
            Some(recovery::recovery(store, ctx, &replacement, &mut actors, clock)?)
        }
        _ => None,
    };
    if step.is_none() && (held.is_some() || other_runs > 0) {
        // Work of others is open and named below, so "nothing is open" would be wrong.
        step_problem.get_or_insert_default();
    }
    let mut next = next_action(
        ctx,
        step.as_ref(),
        owner_notice.as_deref(),
        position.as_ref(),
        step_problem,
    );
    if step.is_none() {
        next.commands
            .splice(0..0, lost_task(ctx, lost.as_ref(), position.as_ref(), request));
    }
    let mail = messages::messages_for(store, ctx, me.as_ref(), request, clock)?;
    let mut facts = WakeFacts {
        reason: request.reason.as_str().to_owned(),
        agent: me.as_ref().map_or_else(String::new, shown_name),
        project: addresses::own_name(ctx),
        branch: ctx.branch(),
        recovery,
        held,
        other_runs,
        tasks: Vec::new(),
        waited_for: Vec::new(),
        again: full_command(ctx, request),
        closed: Some(0),
        total: 0,
        skill: None,
        plan: None,
        learnt: Vec::new(),
        activity: Vec::new(),
        questions: mail.questions,
        messages: mail.messages,
        more_messages: mail.more,
        next,
        step,
        position,
    };
    (facts.closed, facts.total) = at.as_ref().map_or(Ok((Some(0), 0)), |at| counts(store, at))?;
    // An agent that still remembers the rest sees only what is new.
    if lost.is_some() || !request.reason.remembers() {
        let work = CurrentWork {
            run: run.as_ref(),
            at: at.as_ref(),
            worker: worker.as_ref(),
        };
        add_history(store, ctx, &mut facts, &work, &mut actors, clock)?;
    }
    Ok(Gathered {
        facts,
        project,
        read: mail.read,
    })
}

/// The session of a named agent; without one, the name itself.
fn session_of(name: &str, me: Option<&Me>) -> SessionId {
    let session = me.and_then(|me| me.row.as_ref()?.session.clone());
    session.unwrap_or_else(|| SessionId(name.trim_start_matches('@').to_owned()))
}

/// The current step of a run; `None` if the run is paused or over.
pub(super) fn step_of(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Option<StepView>, AppError> {
    match runs::step_reply(store, ctx, run, Loaded::default(), true) {
        Ok(Reply::Step(step)) => Ok(Some(*step)),
        Ok(Reply::End(_)) | Err(AppError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
