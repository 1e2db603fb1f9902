//! Checks whether the caller may change a task, under the rule in `bugle_core::task`.

use bugle_core::id::{Actor, RunId, TaskId, Timestamp};
use bugle_core::ownership::Claim;
use bugle_core::rights::{Caller, Right, is_heard};
use bugle_core::task::{
    CallerRelation, RecordedTaskEvent, TaskAction, TaskChanges, TaskEvent, TaskStatus, task_right,
};
use bugle_core::workflow::Workflow;
use bugle_store::{RunFilter, RunRow, Scope, Store, TaskRow};

use super::ownership::{TaskOwner, task_owner};
use super::{load_task, refused};
use crate::ownership::{Worker, worker};
use crate::permissions::{TaskCaller, task_caller, user_input};
use crate::{AppError, Context, open_run};

/// Maximum number of a session's open runs to read.
const MAX_RUNS: u32 = 32;

/// An open run of the caller's session that works on a plan's tasks.
pub(super) struct PlanRun {
    run: RunId,
    root: TaskId,
}

/// The caller who changes tasks.
struct Acting<'a> {
    worker: Option<Worker>,
    plan_runs: &'a [PlanRun],
}

/// The facts about a task that the rule needs.
struct TaskFacts {
    relation: CallerRelation,
    /// Whether the run that works on the task belongs to an agent's session.
    on_agents_run: bool,
    /// When the task last changed.
    changed: Option<Timestamp>,
}

/// The open runs of the caller's session that work on a plan's tasks.
pub(super) fn plan_runs(store: &mut Store, ctx: &Context) -> Result<Vec<PlanRun>, AppError> {
    let Some(session) = ctx.session.clone() else {
        return Ok(Vec::new());
    };
    let open = store.runs(&RunFilter {
        scope: Scope::Session(session),
        open_only: true,
        limit: MAX_RUNS,
    })?;
    let mut runs = Vec::new();
    for run in open {
        let read = open_run::read(store, &run.id, &run.directory)?;
        let head = read.state.head().map(|visit| visit.number);
        let root = head.and_then(|head| read.state.plan_root(head));
        if let Some(root) = root.filter(|_| hands_out_tasks(&read.workflow)) {
            let (run, root) = (run.id, root.clone());
            runs.push(PlanRun { run, root });
        }
    }
    Ok(runs)
}

fn hands_out_tasks(workflow: &Workflow) -> bool {
    let mut steps = workflow.steps().iter();
    steps.any(|step| step.dispatches_tasks() || !step.task.is_empty())
}

/// Returns the actor to record for the caller's changes. Fails if the caller may not make them.
pub(super) fn permitted(
    store: &mut Store,
    ctx: &Context,
    plan_runs: &[PlanRun],
    changes: &TaskChanges,
) -> Result<Actor, AppError> {
    let actions: Vec<(&TaskId, TaskAction)> = changes
        .iter()
        .filter_map(|(id, event)| Some((id, TaskAction::of(event)?)))
        .collect();
    if actions.is_empty() {
        return Ok(ctx.actor.clone());
    }
    let session = match task_caller(ctx) {
        TaskCaller::Person => return Ok(ctx.actor.clone()),
        TaskCaller::Agent(session) => Some(session),
        TaskCaller::Program => None,
    };
    let acting = Acting {
        worker: worker(store, ctx)?,
        plan_runs,
    };
    let mut known = Vec::new();
    for (id, action) in actions {
        let row = load_task(store, id)?;
        let facts = gather_facts(store, ctx, &acting, &row, action)?;
        known.push((row, action, facts));
    }
    let for_user = known
        .iter()
        .filter(|(_, action, facts)| action.needs_user() && !facts.relation.is_own);
    let since = for_user.map(|(_, _, facts)| facts.changed).max();
    let heard = match since {
        Some(since) if session.is_some() => is_heard(user_input(store, ctx)?, since),
        _ => false,
    };
    let mut relayed = false;
    for (row, action, facts) in &known {
        let caller = match &session {
            Some(_) => Caller::Agent { heard },
            None => Caller::Program {
                on_agents_run: facts.on_agents_run,
            },
        };
        match task_right(*action, caller, &facts.relation) {
            Ok(right) => relayed |= right == Right::Relayed,
            Err(refusal) => return Err(refused(store, ctx, &row.task, &refusal)?),
        }
    }
    Ok(match session.flatten().filter(|_| relayed) {
        Some(agent) => Actor::Relay {
            agent,
            user: ctx.user.clone(),
        },
        None => ctx.actor.clone(),
    })
}

fn gather_facts(
    store: &mut Store,
    ctx: &Context,
    acting: &Acting<'_>,
    row: &TaskRow,
    action: TaskAction,
) -> Result<TaskFacts, AppError> {
    let run = match run_of_task(store, row)? {
        Some(run) => Some((run.id, run.session.is_some())),
        None => plan_run(store, acting.plan_runs, row)?.map(|run| (run, true)),
    };
    let owner = task_owner(store, ctx, row, acting.worker.as_ref())?;
    let is_begun = row.task.status != TaskStatus::Pending;
    let mut facts = TaskFacts {
        on_agents_run: run.as_ref().is_some_and(|(_, agents)| *agents),
        changed: None,
        relation: CallerRelation {
            run: run.map(|(run, _)| run),
            held_by: match &owner {
                TaskOwner::Other { holder, .. } if row.task.status == TaskStatus::Active => {
                    let is_free = holder.ownership.grants(Claim::Continue);
                    row.task.agent.clone().filter(|_| !is_free)
                }
                _ => None,
            },
            is_own: is_begun && matches!(owner, TaskOwner::Own),
        },
    };
    if facts.relation.held_by.is_some() || (action.needs_user() && !facts.relation.is_own) {
        let events = store.task_events(&row.task.id)?;
        facts.changed = events.last().map(|event| event.at);
        if is_started_by(&events, &ctx.actor) {
            // The session started the task under another name, such as a sub-agent's name.
            facts.relation.held_by = None;
            facts.relation.is_own |= is_begun;
        }
        // A plan's tasks belong to the user, even if an agent imported the plan.
        if let (None, Some(added)) = (&row.task.plan, events.first()) {
            let is_assigned = matches!(&added.event, TaskEvent::Added { agent: Some(_), .. });
            facts.relation.is_own |=
                is_same_actor(&added.by, &ctx.actor) || (is_assigned && matches!(owner, TaskOwner::Own));
        }
    }
    Ok(facts)
}

/// The open run that works on a task.
fn run_of_task(store: &mut Store, row: &TaskRow) -> Result<Option<RunRow>, AppError> {
    let at_work = matches!(
        row.task.status,
        TaskStatus::Active | TaskStatus::Blocked | TaskStatus::Failed
    );
    let Some(run) = row.task.run.as_ref().filter(|_| at_work) else {
        return Ok(None);
    };
    let rows = store.runs_by_prefix(run.as_str())?;
    let is_open = |row: &RunRow| row.status.is_open();
    Ok(rows.into_iter().find(|row| row.id == *run).filter(is_open))
}

/// The run that works on the tasks of this task's plan.
fn plan_run(store: &mut Store, plan_runs: &[PlanRun], row: &TaskRow) -> Result<Option<RunId>, AppError> {
    for plan in plan_runs {
        let root = store.task(&plan.root)?;
        if root.is_some_and(|root| root.path.holds(&row.path)) && row.task.plan.is_some() {
            return Ok(Some(plan.run.clone()));
        }
    }
    Ok(None)
}

/// Whether this actor started the task most recently.
fn is_started_by(events: &[RecordedTaskEvent], actor: &Actor) -> bool {
    let mut starts = events.iter().rev();
    starts
        .find(|recorded| matches!(recorded.event, TaskEvent::Started { .. }))
        .is_some_and(|recorded| is_same_actor(&recorded.by, actor))
}

/// Whether two actors are the same session or person, even if one acts through a relay.
fn is_same_actor(one: &Actor, other: &Actor) -> bool {
    match (one.session(), other.session()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
