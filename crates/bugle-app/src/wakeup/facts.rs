//! Gathers the facts for a wake-up. Another module cuts the facts to the budget.

use bugle_core::reply::{CommandView, HeldRun, RunOwner, StepView, TaskPosition, WakeFacts};
use bugle_store::{AgentRow, ProjectId, Store};

use super::actor_names::ActorNames;
use super::lost_work::{LostWork, lost_work};
use super::next_action::next_action;
use super::open_step::open_step;
use super::recovery::Replacement;
use super::task_facts::{CurrentWork, add_history, counts};
use super::unfinished_work::take_over;
use super::{Gathered, ShortClock, WakeRequest};
use crate::agents::Me;
use crate::open_run::RunWithEvents;
use crate::ownership::Worker;
use crate::tasks::{CurrentTask, PositionContext};
use crate::wakeup::{messages, records, recovery, run_selection, task_facts, woken};
use crate::{AppError, Context, addresses, projects, runs, tasks};

/// A budget large enough for any wake-up.
const UNLIMITED_BUDGET: &str = "1000000";

/// The command that takes over the current task, if the lost agent held it.
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

/// A woken agent's work, as read from the store.
struct WokenWork {
    project: Option<ProjectId>,
    me: Option<Me>,
    /// The work of the agent that the woken agent replaces.
    lost: Option<LostWork>,
    run: Option<RunWithEvents>,
    owner: Option<RunOwner>,
    held: Option<HeldRun>,
    other_runs: u32,
    step: Option<StepView>,
    /// Why the step cannot be shown.
    step_problem: Option<String>,
    worker: Option<Worker>,
    at: Option<CurrentTask>,
}

/// Reads the woken agent's run and task.
fn read_work(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    known: Option<&AgentRow>,
) -> Result<WokenWork, AppError> {
    let project = projects::project(store, ctx)?;
    let here = project.as_ref();
    let me = woken::woken_agent(store, ctx, request, here, known)?;
    let lost = lost_work(store, ctx, request, here, me.as_ref())?;
    let named = request.agent.as_deref();
    let session = named.map(|name| woken::session_of(name, me.as_ref()));
    let selection = match &lost {
        Some(lost) => run_selection::select_run_of(store, ctx, lost, request)?,
        None => run_selection::select_run(store, ctx, here, session, request)?,
    };
    let run = match (&selection.run, &lost) {
        (None, _) => None,
        (Some(row), None) => Some(RunWithEvents::read(store, row)?),
        // Read all events: the lost agent's last activity may not be among the latest ones.
        (Some(row), Some(_)) => Some(RunWithEvents::read_whole(store, row)?),
    };
    if let Some(run) = &run {
        runs::plan_step(store, &run.run)?;
    }
    let (mut worker, mut at) = (None, None);
    if let Some(project) = here {
        // A replacement continues with the lost agent's tasks.
        worker = woken::worker(store, ctx, project, request, me.as_ref(), lost.as_ref())?;
        let known = PositionContext {
            worker: worker.as_ref(),
            here,
            active: lost.as_ref().map(|lost| lost.active.as_slice()),
            plan: None,
            read_ahead: task_facts::read_ahead,
        };
        at = tasks::position_of(store, ctx, project.clone(), known)?;
    }
    let (step, step_problem) = match &run {
        Some(run) => open_step(store, ctx, &run.run)?,
        None => (None, None),
    };
    Ok(WokenWork {
        project,
        me,
        lost,
        run,
        owner: selection.owner,
        held: selection.held,
        other_runs: selection.others,
        step,
        step_problem,
        worker,
        at,
    })
}

/// Gathers the facts for a wake-up. `known` is the woken agent, if the caller has read it.
pub(super) fn gather(
    store: &mut Store,
    ctx: &Context,
    request: &WakeRequest,
    known: Option<&AgentRow>,
    clock: ShortClock<'_>,
) -> Result<Gathered, AppError> {
    let WokenWork {
        project,
        me,
        lost,
        run,
        owner,
        held,
        other_runs,
        step,
        step_problem,
        worker,
        at,
    } = read_work(store, ctx, request, known)?;
    let is_broken = step_problem.is_some();
    let other_runs = other_runs.saturating_add(is_broken.into());
    let position = at.as_ref().map(|at| at.view.clone());
    let own = me.as_ref().and_then(|me| me.row.as_ref());
    let is_person = me.as_ref().is_some_and(|me| me.address.is_human());
    let rows = own
        .into_iter()
        .chain(lost.as_ref().and_then(|lost| lost.row.as_ref()));
    let mut actors = ActorNames::new(ctx, project.as_ref(), rows);
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
    let mail = messages::messages_for(store, ctx, me.as_ref(), request, clock)?;
    let mut next = next_action(
        ctx,
        step.as_ref(),
        owner,
        position.as_ref(),
        step_problem,
        held.is_some() || other_runs > 0 || mail.asked.is_some(),
    );
    if step.is_none() {
        next.commands
            .splice(0..0, lost_task(ctx, lost.as_ref(), position.as_ref(), request));
    }
    let mut facts = WakeFacts {
        reason: request.reason,
        remembers: lost.is_none() && request.reason.remembers(),
        given_in_part: Vec::new(),
        agent: me.as_ref().map_or_else(String::new, woken::shown_name),
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
        asked: mail.asked,
        messages: mail.messages,
        more_messages: mail.more,
        next,
        step,
        position,
        interface: ctx.interface,
    };
    (facts.closed, facts.total) = at.as_ref().map_or(Ok((Some(0), 0)), |at| counts(store, at))?;
    // An agent that still remembers its context does not need the history.
    if facts.remembers {
        if let Some(project) = &project {
            facts.given_in_part = records::given_in_part(store, project, &facts.agent)?;
        }
    } else {
        let work = CurrentWork {
            run: run.as_ref(),
            at: at.as_ref(),
            worker: worker.as_ref(),
            role: own.and_then(|row| row.role),
        };
        add_history(store, ctx, &mut facts, &work, &mut actors, clock)?;
    }
    Ok(Gathered {
        facts,
        project,
        read: mail.read,
        is_unknown: own.is_none() && me.is_some() && !is_person,
        is_person,
    })
}

/// The command that prints the full wake-up and changes nothing.
fn full_command(ctx: &Context, request: &WakeRequest) -> String {
    let mut arguments = vec!["wake".to_owned()];
    arguments.extend(request.agent.clone());
    match &request.replaces {
        Some(replaced) => {
            arguments.extend(["--replaces".to_owned(), replaced.agent.clone()]);
            if let Some(log) = &replaced.log {
                let log = ctx.directory.join(log);
                arguments.extend(["--log".to_owned(), log.display().to_string()]);
            }
        }
        None => arguments.extend(["--reason".to_owned(), request.reason.as_str().to_owned()]),
    }
    arguments.extend(["--budget", UNLIMITED_BUDGET, "--dry-run"].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    ctx.command(&arguments)
}
