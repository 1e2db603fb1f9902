//! Lists runs, shows a run with its timeline, and forks a run.

use std::collections::BTreeMap;

use bugle_core::engine::{ChildReport, ChildState, Event, Recorded, RunState, Visit, verdict_of};
use bugle_core::id::VisitNumber;
use bugle_core::message::AgentAddress;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{Author, FinalResult, RunDetail, RunList, RunNotice, RunSummary};
use bugle_core::rights::Action;
use bugle_store::{AgentRow, RunFilter, RunRow, Scope, Store};

use super::loaded::Drift;
use super::refusal::refused;
use super::reply::reply;
use super::summary::{summaries, summary};
use super::timeline::timeline;
use super::{Reply, RunSelector, also_found, child_report, select, start};
use crate::agents::current_name;
use crate::delegation::is_stale;
use crate::open_run::OpenRun;
use crate::pinning::Compiled;
use crate::{AppError, Context, addresses, open_run, pinning, projects, runs, view};

/// A run with all its events, loaded once.
pub(crate) struct RunHistory {
    /// The run.
    pub row: RunRow,
    /// The run, as shown in lists.
    pub summary: RunSummary,
    /// All events of the run.
    pub events: Vec<Recorded>,
    /// The state after these events.
    pub state: RunState,
    /// The run's pinned skill.
    pub compiled: Compiled,
    /// The person on whose behalf each event was recorded, by event number.
    pub people: BTreeMap<u64, String>,
    /// The agents that recorded events, by their sessions.
    pub agents: BTreeMap<String, String>,
}

impl RunHistory {
    /// Whether the run's skill has changed.
    pub(crate) fn drift(&self, ctx: &Context) -> Drift {
        Drift::of(ctx, &self.row.directory, &self.state, &self.compiled)
    }

    /// The run itself, without the events.
    pub(crate) fn open(self) -> Result<OpenRun, AppError> {
        OpenRun::new(self.state, self.compiled, self.row.directory)
    }
}

/// The runs of this project or of all projects.
pub fn runs(
    store: &mut Store,
    ctx: &Context,
    everywhere: bool,
    open_only: bool,
    limit: u32,
) -> Result<RunList, AppError> {
    let scope = if everywhere {
        Scope::All
    } else {
        match projects::project(store, ctx)? {
            Some(project) => Scope::Project(project),
            None => {
                return Ok(RunList {
                    everywhere,
                    runs: Vec::new(),
                    more: 0,
                });
            }
        }
    };
    let filter = RunFilter {
        scope,
        open_only,
        limit,
    };
    let rows = store.runs(&filter)?;
    let agents = store.agents(None)?;
    let runs = summaries(store, ctx, &rows, &agents)?;
    let more = store.count_runs(&filter)?.saturating_sub(runs.len() as u64);
    Ok(RunList {
        everywhere,
        runs,
        more,
    })
}

/// A run with its timeline and its sub-agents.
pub fn show(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<RunDetail, AppError> {
    let row = select::select(store, ctx, selector)?;
    let agents = store.agents(None)?;
    let history = run_history(store, ctx, row, &agents)?;
    let mut detail = detail(ctx, &history, history.drift(ctx));
    detail
        .notices
        .extend(child_report::subagent_notices(store, &history.state)?);
    Ok(detail)
}

/// Loads a run with all its events; `agents` are all agents.
pub(crate) fn run_history(
    store: &mut Store,
    ctx: &Context,
    row: RunRow,
    agents: &[AgentRow],
) -> Result<RunHistory, AppError> {
    let events = store.run_events(&row.id)?;
    let state = RunState::replay(&row.id, &events).map_err(bugle_store::StoreError::from)?;
    let compiled = pinning::load(store, &state.pin)?;
    let people = store.people_of_run(&row.id)?;
    let first = events.first().map(|recorded| &recorded.event);
    let summary = summary(ctx, &row, agents, first, people.get(&1).cloned());
    let agents = agent_names(store, ctx, &row, agents, &events)?;
    Ok(RunHistory {
        row,
        summary,
        events,
        state,
        compiled,
        people,
        agents,
    })
}

/// The names of the agents that recorded events, by their sessions. An agent may have another session by now.
fn agent_names(
    store: &mut Store,
    ctx: &Context,
    row: &RunRow,
    agents: &[AgentRow],
    events: &[Recorded],
) -> Result<BTreeMap<String, String>, AppError> {
    let home = addresses::home(ctx);
    let mut names = BTreeMap::new();
    for session in events.iter().filter_map(|event| event.by.session()) {
        if names.contains_key(&session.0) {
            continue;
        }
        let mut current = agents.iter();
        let current = current.find(|agent| agent.session.as_ref() == Some(session));
        let former = AgentAddress::of_session(&session.0, &home);
        let name = match (current, former) {
            (Some(agent), _) => Some(agent.address.clone()),
            (None, Some(address)) => Some(current_name(store, &row.project, &address)?),
            (None, None) => None,
        };
        names.extend(name.map(|name| (session.0.clone(), name.seen_from(&home))));
    }
    Ok(names)
}

/// A run with its timeline, but without notices about sub-agents.
pub(crate) fn detail(ctx: &Context, history: &RunHistory, drift: Drift) -> RunDetail {
    let RunHistory {
        row,
        summary,
        events,
        state,
        compiled,
        people,
        agents,
    } = history;
    let mut notices: Vec<RunNotice> = drift.0.into_iter().collect();
    notices.extend(stale_verdict(ctx, state, &row.directory));
    notices.extend(ended_without_success(state));
    notices.extend(also_found::notice(ctx, state));
    let workflow = compiled.workflow_of(&state.origin);
    let mut timeline = timeline(events, state, workflow.as_ref());
    for (entry, recorded) in timeline.iter_mut().zip(events) {
        entry.person = people.get(&entry.seq).cloned();
        let session = recorded.by.session();
        let address = session.and_then(|session| agents.get(&session.0));
        entry.by = Author::new(&recorded.by, address.cloned());
    }
    RunDetail {
        summary: summary.clone(),
        pin: state.pin.to_string(),
        params: state.params.clone(),
        origin: state.origin.clone(),
        result: final_result(state),
        timeline,
        notices,
        command: state.status.is_open().then(|| view::step_command(ctx, &state.id)),
    }
}

/// The last result of a run that has ended.
fn final_result(state: &RunState) -> Option<FinalResult> {
    let head = state.head().filter(|_| !state.status.is_open())?;
    state.lineage(head.number).find_map(|visit| {
        Some(FinalResult {
            step: visit.step.to_string(),
            value: visit.ending.as_ref()?.result.clone()?,
        })
    })
}

/// Starts a copy of a run from the point at which the run entered a visit.
pub fn fork(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    at: VisitNumber,
) -> Result<Reply, AppError> {
    let row = select::select(store, ctx, selector)?;
    let recorded = store.run_events(&row.id)?;
    let run = open_run::read(store, &row.id, &row.directory)?;
    let Some(events) = bugle_core::engine::fork(&row.id, &recorded, at) else {
        return Err(refused(ctx, &run, &bugle_core::engine::Refusal::UnknownVisit(at)));
    };
    if row.child.is_some() {
        return Err(refused(
            ctx,
            &run,
            &bugle_core::engine::Refusal::OnlyForWholeRuns(Action::Fork),
        ));
    }
    let by = runs::recorded_actor(store, ctx, &run, Action::Fork)?;
    let mut pins = events.iter().filter_map(|event| match event {
        Event::Started { pin, .. } | Event::Upgraded { pin, .. } => Some(pin),
        _ => None,
    });
    let version = pins.next_back().unwrap_or(&row.pin);
    let workflow = pinning::load(store, version)?.workflow;
    let state = start::create_by(store, ctx, &by, &row.project, &row.directory, &workflow, events)?
        .ok_or_else(|| AppError::System("the run was not created".to_owned()))?;
    let run = open_run::read(store, &state.id, &row.directory)?;
    reply(store, ctx, &run)
}

/// A notice if the files have changed since the latest gate passed.
fn stale_verdict(ctx: &Context, state: &RunState, directory: &str) -> Option<RunNotice> {
    let judged = |visit: &&Visit| verdict_of(visit).is_some();
    let gate = state.lineage(state.head()?.number).find(judged)?;
    // Files that failed the gate are expected to change.
    let passed = gate
        .ending
        .as_ref()
        .filter(|ending| ending.outcome == Outcome::Ok)?;
    is_stale(ctx, passed.tree.as_ref(), directory).then(|| RunNotice::VerdictStale {
        visit: gate.number,
        step: gate.step.clone(),
    })
}

/// A notice if a sub-agent's run ended before its work was done.
fn ended_without_success(state: &RunState) -> Option<RunNotice> {
    let report = ChildReport::of(state)?.state;
    matches!(report, ChildState::Failed(_) | ChildState::Escalated(..)).then_some(RunNotice::NotDone(report))
}
