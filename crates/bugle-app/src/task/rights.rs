//! Whether a task may be changed by hand: the facts that the rule in `bugle_core::task` decides on.

use bugle_core::agent::Approach;
use bugle_core::id::{Actor, RunId, TaskId, Timestamp};
use bugle_core::rights::{Caller, Right, is_heard};
use bugle_core::task::{RecordedTaskEvent, Standing, TaskChanges, TaskDeed, TaskEvent, TaskTies, task_right};
use bugle_core::workflow::Workflow;
use bugle_store::{RunFilter, RunRow, Scope, SqliteStore, Store as _, TaskRow, TaskStore as _};

use super::held::{Whose, whose};
use super::{refused, there};
use crate::holder::{Worker, worker};
use crate::rights::{Hand, hand, user_input};
use crate::{App, AppError, Place};

/// How many open runs of a session are looked at.
const MOST_RUNS: u32 = 32;

/// An open run of the acting session that hands out the tasks of a plan.
pub(super) struct PlanRun {
    run: RunId,
    root: TaskId,
}

/// What is known about a task before it is changed by hand.
struct Known {
    ties: TaskTies,
    /// Whether the run it is tied to belongs to an agent's session.
    on_agents_run: bool,
    /// When it last changed.
    changed: Option<Timestamp>,
}

impl App {
    /// The open runs of this session that hand out the tasks of a plan.
    pub(super) fn plan_runs(&mut self) -> Result<Vec<PlanRun>, AppError> {
        let Some(session) = self.place.session.clone() else {
            return Ok(Vec::new());
        };
        let open = self.store.runs(&RunFilter {
            scope: Scope::Session(session),
            open_only: true,
            limit: MOST_RUNS,
        })?;
        let mut runs = Vec::new();
        for run in open {
            let read = self.read(&run.id)?;
            let head = read.state.head().map(|visit| visit.number);
            let root = head.and_then(|head| read.state.plan_root(head));
            if let Some(root) = root.filter(|_| hands_out_tasks(&read.workflow)) {
                let (run, root) = (run.id, root.clone());
                runs.push(PlanRun { run, root });
            }
        }
        Ok(runs)
    }
}

fn hands_out_tasks(workflow: &Workflow) -> bool {
    let mut steps = workflow.steps().iter();
    steps.any(|step| step.dispatches_tasks() || !step.task.is_empty())
}

/// The actor that is recorded for changes made by hand; an error if they may not make them.
pub(super) fn permitted(
    store: &mut SqliteStore,
    place: &Place,
    plan_runs: &[PlanRun],
    changes: &TaskChanges,
) -> Result<Actor, AppError> {
    let deeds: Vec<(&TaskId, TaskDeed)> = changes
        .iter()
        .filter_map(|(id, event)| Some((id, TaskDeed::of(event)?)))
        .collect();
    if deeds.is_empty() {
        return Ok(place.actor.clone());
    }
    let session = match hand(place) {
        Hand::Person => return Ok(place.actor.clone()),
        Hand::Agent(session) => Some(session),
        Hand::Program => None,
    };
    let acting = worker(store, place)?;
    let mut known = Vec::new();
    for (id, deed) in deeds {
        let row = there(store, id)?;
        let facts = gather(store, place, (acting.as_ref(), plan_runs), &row, deed)?;
        known.push((row, deed, facts));
    }
    let for_user = known
        .iter()
        .filter(|(_, deed, facts)| deed.needs_user() && !facts.ties.is_own);
    let since = for_user.map(|(_, _, facts)| facts.changed).max();
    let heard = match since {
        Some(since) if session.is_some() => is_heard(user_input(store, place)?, since),
        _ => false,
    };
    let mut relayed = false;
    for (row, deed, facts) in &known {
        let caller = match &session {
            Some(_) => Caller::Agent { heard },
            None => Caller::Program {
                on_agents_run: facts.on_agents_run,
            },
        };
        match task_right(*deed, caller, &facts.ties) {
            Ok(right) => relayed |= right == Right::Relayed,
            Err(refusal) => return Err(refused(store, place, &row.task, &refusal)?),
        }
    }
    Ok(match session.flatten().filter(|_| relayed) {
        Some(agent) => Actor::Relay {
            agent,
            user: place.user.clone(),
        },
        None => place.actor.clone(),
    })
}

fn gather(
    store: &mut SqliteStore,
    place: &Place,
    (acting, plan_runs): (Option<&Worker>, &[PlanRun]),
    row: &TaskRow,
    deed: TaskDeed,
) -> Result<Known, AppError> {
    let run = match tied_run(store, row)? {
        Some(run) => Some((run.id, run.session.is_some())),
        None => plan_run(store, plan_runs, row)?.map(|run| (run, true)),
    };
    let whose = whose(store, place, row, acting)?;
    let is_begun = row.task.standing != Standing::Pending;
    let mut known = Known {
        on_agents_run: run.as_ref().is_some_and(|(_, agents)| *agents),
        changed: None,
        ties: TaskTies {
            run: run.map(|(run, _)| run),
            held_by: match &whose {
                Whose::Anothers { holder, .. } if row.task.standing == Standing::Active => {
                    let is_free = holder.holding.goes_to(Approach::GoesOn);
                    row.task.agent.clone().filter(|_| !is_free)
                }
                _ => None,
            },
            is_own: is_begun && matches!(whose, Whose::Own),
        },
    };
    if known.ties.held_by.is_some() || (deed.needs_user() && !known.ties.is_own) {
        let events = store.task_events(&row.task.id)?;
        known.changed = events.last().map(|event| event.at);
        if begun_here(&events, &place.actor) {
            // The session began it under a name that it gave, as for one of its sub-agents.
            known.ties.held_by = None;
            known.ties.is_own |= is_begun;
        }
        // The tasks of a plan belong to the user, also if an agent imported it.
        if let (None, Some(added)) = (&row.task.plan, events.first()) {
            let given = matches!(&added.event, TaskEvent::Added { agent: Some(_), .. });
            known.ties.is_own |= is_by(&added.by, &place.actor) || (given && matches!(whose, Whose::Own));
        }
    }
    Ok(known)
}

/// The open run that works on a task.
fn tied_run(store: &mut SqliteStore, row: &TaskRow) -> Result<Option<RunRow>, AppError> {
    let at_work = matches!(
        row.task.standing,
        Standing::Active | Standing::Blocked | Standing::Failed
    );
    let Some(run) = row.task.run.as_ref().filter(|_| at_work) else {
        return Ok(None);
    };
    let rows = store.runs_by_prefix(run.as_str())?;
    let is_open = |row: &RunRow| row.status.is_open();
    Ok(rows.into_iter().find(|row| row.id == *run).filter(is_open))
}

/// The run that hands out the tasks of the plan that a task is in.
fn plan_run(
    store: &mut SqliteStore,
    plan_runs: &[PlanRun],
    row: &TaskRow,
) -> Result<Option<RunId>, AppError> {
    for plan in plan_runs {
        let root = store.task(&plan.root)?;
        if root.is_some_and(|root| root.path.holds(&row.path)) && row.task.plan.is_some() {
            return Ok(Some(plan.run.clone()));
        }
    }
    Ok(None)
}

/// Whether the last start of a task was made by this actor.
fn begun_here(events: &[RecordedTaskEvent], actor: &Actor) -> bool {
    let mut starts = events.iter().rev();
    starts
        .find(|recorded| matches!(recorded.event, TaskEvent::Started { .. }))
        .is_some_and(|recorded| is_by(&recorded.by, actor))
}

/// Whether two actors are the same one, relayed or not.
fn is_by(one: &Actor, other: &Actor) -> bool {
    match (one.session(), other.session()) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}
