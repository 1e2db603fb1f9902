//! Gathers the facts of a wake-up, before they are cut to the budget.

use bugle_core::id::SessionId;
use bugle_core::name::AgentName;
use bugle_store::{ProjectId, Store};
use bugle_wire::{CommandView, StepView, TaskPosition, WakeFacts};

use super::actor_names::ActorNames;
use super::lost_work::{LostWork, lost_work};
use super::next_action::next_action;
use super::recovery::Replacement;
use super::run_selection::RunSelection;
use super::task_facts::{CurrentWork, add_history, counts};
use super::unfinished_work::take_over;
use super::{Gathered, ShortClock, WakeRequest};
use crate::agents::Me;
use crate::open_run::{OpenRun, RunWithEvents};
use crate::ownership::{Worker, caller_as_worker};
use crate::runs::{Loaded, Reply};
use crate::tasks::PositionContext;
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

/// Gathers the facts of a wake-up.
pub(super) fn gather(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    clock: ShortClock<'_>,
) -> Result<Gathered, AppError> {
    let project = projects::project(store, ctx)?;
    let me = woken_agent(store, ctx, request, project.as_ref())?;
    let named = request.agent.as_deref();
    let session = named.map(|name| session_of(name, me.as_ref()));
    let lost = match &request.replaces {
        Some(replaced) => Some(lost_work(
            store,
            ctx,
            &replaced.agent,
            project.as_ref(),
            me.as_ref(),
        )?),
        None => None,
    };
    let RunSelection {
        run,
        owner_notice,
        held,
        others: mut other_runs,
    } = match &lost {
        Some(lost) => run_selection::select_run_of(store, ctx, lost, request)?,
        None => run_selection::select_run(store, ctx, project.as_ref(), session, request)?,
    };
    let run = match (run, &lost) {
        (None, _) => None,
        (Some(row), None) => Some(RunWithEvents::read(store, &row)?),
        // What the lost agent did may be long ago.
        (Some(row), Some(_)) => Some(RunWithEvents::read_whole(store, &row)?),
    };
    let (step, mut step_problem) = match &run {
        Some(run) => open_step(store, ctx, &run.run)?,
        None => (None, None),
    };
    if step_problem.is_some() {
        other_runs = other_runs.saturating_add(1);
    }
    let named = named.and_then(|name| AgentName::new(name.trim_start_matches('@')).ok());
    let (mut worker, mut at) = (None, None);
    if let Some(project) = &project {
        worker = worker_of(store, ctx, project, me.as_ref(), lost.as_ref(), named.as_ref())?;
        let known = PositionContext {
            worker: worker.as_ref(),
            here: Some(project),
            active: lost.as_ref().map(|lost| lost.active.as_slice()),
            plan: None,
        };
        at = tasks::position_of(store, ctx, project.clone(), known)?;
    }
    let position = at.as_ref().map(|at| at.view.clone());
    let replacement = lost
        .as_ref()
        .zip(request.replaces.as_ref())
        .map(|(lost, replaced)| Replacement {
            lost,
            replaced,
            agent: request.agent.as_deref(),
            project: project.as_ref(),
            run: run.as_ref(),
            step: step.as_ref(),
            is_broken: step_problem.is_some(),
            current: at.as_ref(),
        });
    let own = me.as_ref().and_then(|me| me.row.as_ref());
    let known = own
        .into_iter()
        .chain(lost.as_ref().and_then(|lost| lost.row.as_ref()));
    let mut names = ActorNames::new(ctx, project.as_ref(), known);
    let recovery = replacement
        .map(|replacement| recovery::recovery(store, ctx, &replacement, &mut names, clock))
        .transpose()?;
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
        add_history(store, ctx, &mut facts, &work, &mut names, clock)?;
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
