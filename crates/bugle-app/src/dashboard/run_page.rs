//! A run's page: its graph, step, reviews, sub-agents and timeline.

use bugle_core::engine::{ChildReport, ChildState, RunState, RunStatus, verdict_of};
use bugle_core::reply::{AgentSummary, AskView, FindingView, RunDetail, RunSummary, StepView, VerdictView};
use bugle_core::review::Finding;
use bugle_render::graph::Graph;
use bugle_render::run_graph::run_graph;
use bugle_store::{AgentRow, RunRow, Store};
use serde::Serialize;

use super::ProjectName;
use crate::attention::works_on;
use crate::dashboard::all_projects;
use crate::delegation::{GATE_QUESTION, finding, is_stale, open_finding, verdict};
use crate::open_run::OpenRun;
use crate::runs::{Children, Loaded, Reader, RunSelector};
use crate::{AppError, Context, Reply, agent_list, open_run, runs};

/// Maximum number of events on a page.
const EVENTS_PER_PAGE: usize = 100;
/// Maximum number of sub-agents shown.
const MAX_CHILDREN: u32 = 100;
/// Maximum number of reviews shown.
const MAX_REVIEWS: usize = 10;
/// Maximum number of visits offered for a rewind.
const MAX_VISITS: usize = 60;

/// A run's page.
#[derive(Debug, Clone, Serialize)]
pub struct RunPage {
    /// The run, with one page of its timeline.
    pub detail: RunDetail,
    /// The run's project.
    pub project: ProjectName,
    /// The run's current step.
    pub step: Option<StepView>,
    /// The run's question to the user.
    pub ask: Option<AskView>,
    /// Whether the question is about a gate that has reached its limit.
    pub at_gate: bool,
    /// The open visit.
    pub visit: Option<u32>,
    /// Why the step cannot be shown.
    pub error: Option<String>,
    /// The run's reviews, latest first.
    pub reviews: Vec<RunReview>,
    /// The runs of the run's sub-agents.
    pub children: Vec<ChildRun>,
    /// The parent run, if this is a sub-agent's run.
    pub parent: Option<String>,
    /// The agents working on the run.
    pub agents: Vec<AgentSummary>,
    /// The visits to which the run can be rewound, latest first.
    pub visits: Vec<RunVisit>,
    /// The number of the first event shown; `None` if there are no earlier events.
    pub earlier: Option<u64>,
    /// Whether there are later events.
    pub later: bool,
    /// The workflow graph with the run's progress.
    #[serde(skip)]
    pub graph: Graph,
}

/// A visit of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunVisit {
    /// The visit's number.
    pub number: u32,
    /// The visit's step.
    pub step: String,
    /// The visit's outcome, once the visit has ended.
    pub outcome: Option<String>,
}

/// A review's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunReview {
    /// The gate's visit.
    pub visit: u32,
    /// The verdict.
    pub verdict: VerdictView,
    /// Whether the files have changed since the review passed. Only the latest review is compared.
    pub stale: bool,
    /// The blocking findings.
    pub blocking: Vec<FindingView>,
    /// The numbers, from 1, of blocking findings that the user later accepted as risks.
    pub accepted: Vec<usize>,
    /// The findings that do not block.
    pub noted: Vec<FindingView>,
}

/// A sub-agent's run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChildRun {
    /// The run.
    pub run: RunSummary,
    /// The parent run's visit that started the sub-agent.
    pub visit: u32,
    /// The sub-agent's number within that visit, from 1.
    pub slot: u32,
    /// The run's status, or how the run ended if it failed or escalated.
    pub status: String,
    /// Why the run failed or escalated.
    pub trouble: Option<String>,
}

/// A run's page, with its latest events or the latest before a given event.
pub fn run_page(
    store: &mut Store,
    ctx: &Context,
    selector: &RunSelector,
    before: Option<u64>,
) -> Result<RunPage, AppError> {
    let row = runs::select(store, ctx, selector)?;
    let all_agents = store.agents(None)?;
    let history = runs::run_history(store, ctx, row.clone(), &all_agents)?;
    let drift = history.drift(ctx);
    let mut detail = runs::detail(ctx, &history, drift.clone());
    let run = history.open()?;
    let last = detail.timeline.len();
    if let Some(before) = before {
        detail.timeline.retain(|entry| entry.seq < before);
    }
    let later = detail.timeline.len() < last;
    let surplus = detail.timeline.len().saturating_sub(EVENTS_PER_PAGE);
    detail.timeline.drain(..surplus);
    let earlier = detail
        .timeline
        .first()
        .filter(|_| surplus > 0)
        .map(|entry| entry.seq);
    let current = Children::read(store, &run.state)?;
    let known = current.states.clone();
    let loaded = Loaded {
        children: Some(current),
        parent: None,
        drift: Some(drift),
    };
    let (step, error) = match runs::describe(store, ctx, &run, loaded, &Reader::Someone) {
        Ok(Reply::Step(view)) => (Some(*view), None),
        Ok(Reply::End(_)) | Err(AppError::Refused(_)) => (None, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let mut agents = Vec::new();
    for agent in all_agents.iter().filter(|agent| works_on(agent, &row)) {
        agents.push(agent_list::summary(store, agent)?);
    }
    let children = store.all_children(&row.id, MAX_CHILDREN)?;
    let graph = run_graph(&row.skill, run.workflow.definition(), &run.state)
        .map_err(|error| AppError::System(error.to_string()))?;
    let judged = run.state.current().is_some_and(|visit| visit.judged.is_some());
    Ok(RunPage {
        project: all_projects(store)?.get(&row.project),
        at_gate: judged,
        ask: step
            .as_ref()
            .and_then(|step| step.ask.clone())
            .map(|ask| asked_here(ask, judged)),
        step,
        error,
        visit: run.state.current().map(|visit| visit.number.0),
        reviews: reviews(ctx, &run),
        children: child_runs(store, ctx, &children, &all_agents, &known)?,
        parent: row.child.as_ref().map(|child| child.parent.run.to_string()),
        agents,
        visits: visits(&run.state),
        detail,
        earlier,
        later,
        graph,
    })
}

/// The sub-agents' runs. `known` are runs that have already been read.
fn child_runs(
    store: &mut Store,
    ctx: &Context,
    rows: &[RunRow],
    agents: &[AgentRow],
    known: &[RunState],
) -> Result<Vec<ChildRun>, AppError> {
    let summaries = runs::summaries(store, ctx, rows, agents)?;
    let mut children = Vec::new();
    for (row, run) in rows.iter().zip(summaries) {
        let Some(token) = &row.child else { continue };
        let report = match row.status {
            RunStatus::Completed | RunStatus::Failed => match known.iter().find(|state| state.id == row.id) {
                Some(state) => ChildReport::of(state),
                None => ChildReport::of(&open_run::read_state(store, &row.id)?),
            },
            _ => None,
        };
        let (status, trouble) = match report.map(|report| report.state) {
            Some(ChildState::Failed(reason)) => ("failed".to_owned(), Some(reason)),
            Some(ChildState::Escalated(kind, reason)) => (kind.as_str().to_owned(), Some(reason)),
            _ => (row.status.to_string(), None),
        };
        children.push(ChildRun {
            run,
            visit: token.parent.visit.0,
            slot: token.slot,
            status,
            trouble,
        });
    }
    Ok(children)
}

fn reviews(ctx: &Context, run: &OpenRun) -> Vec<RunReview> {
    let visits = run.state.visits().iter().rev();
    let mut is_latest = true;
    let is_accepted = |finding: &Finding| run.state.accepted.iter().any(|risk| risk.is_same(finding));
    visits
        .filter_map(|visit| {
            let (full, view) = verdict_of(visit).zip(verdict(ctx, &run.state, &run.workflow, visit))?;
            // Compare only the latest verdict, because each comparison reads every file.
            let counts = std::mem::take(&mut is_latest) && view.passed;
            let stale = counts && is_stale(ctx, view.tree.as_ref(), &run.directory);
            Some(RunReview {
                visit: visit.number.0,
                stale,
                verdict: view,
                accepted: (1..)
                    .zip(&full.blocking)
                    .filter(|(_, open)| is_accepted(&open.finding))
                    .map(|(number, _)| number)
                    .collect(),
                blocking: full.blocking.iter().map(open_finding).collect(),
                noted: full.noted.iter().map(|noted| finding(noted, 1)).collect(),
            })
        })
        .take(MAX_REVIEWS)
        .collect()
}

/// The question without findings and choices, which the page already shows.
fn asked_here(ask: AskView, judged: bool) -> AskView {
    if judged {
        let question = GATE_QUESTION.to_owned();
        return AskView { question, ..ask };
    }
    ask
}

/// The visits in the run's current history, without rewound ones; latest first.
fn visits(state: &RunState) -> Vec<RunVisit> {
    let Some(head) = state.head() else {
        return Vec::new();
    };
    state
        .lineage(head.number)
        .take(MAX_VISITS)
        .map(|visit| RunVisit {
            number: visit.number.0,
            step: visit.step.to_string(),
            outcome: visit.ending.as_ref().map(|ending| ending.outcome.to_string()),
        })
        .collect()
}
