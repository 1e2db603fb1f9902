//! Lists, shows and archives agents.

use bugle_core::agent::{AgentStatus, Signal};
use bugle_core::message::AgentAddress;
use bugle_core::reply::{AgentBranch, AgentDetail, AgentList, AgentSummary};
use bugle_store::{AgentRow, ProjectId, RunFilter, Store};

use crate::agents::apply_signal;
use crate::supervisor_process::hosts;
use crate::{AppError, Context, addresses, agents, projects};

/// Maximum number of open runs listed for an agent.
const MAX_RUNS: u32 = 20;

/// The agents to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentScope {
    /// Agents of this project, except archived ones.
    Here,
    /// All agents of all projects, including archived ones.
    All,
}

/// The agents, sorted by project and branch.
pub fn agents(store: &mut Store, ctx: &Context, scope: AgentScope) -> Result<AgentList, AppError> {
    let here = projects::project(store, ctx)?;
    let mut rows = match (scope, &here) {
        (AgentScope::All, _) => store.agents(None)?,
        (AgentScope::Here, Some(project)) => store.agents(Some(project))?,
        (AgentScope::Here, None) => Vec::new(),
    };
    let mut archived = 0;
    if scope == AgentScope::Here {
        let all = rows.len();
        rows.retain(|row| row.state.status != AgentStatus::Archived);
        archived = all - rows.len();
    }
    let projects = store.projects()?;
    let found = |project: &ProjectId| {
        let found = projects.iter().find(|row| row.id == *project);
        found.map(|row| (addresses::name_of_project(row), row.place.clone()))
    };
    let mut branches: Vec<AgentBranch> = Vec::new();
    for row in rows {
        let (project, place) = found(&row.project).unwrap_or_default();
        let summary = summary(store, &row)?;
        let branch = row.address.branch();
        match branches.last_mut() {
            Some(last) if last.place == place && last.branch == branch => last.agents.push(summary),
            _ => branches.push(AgentBranch {
                project,
                branch: branch.to_owned(),
                place,
                agents: vec![summary],
            }),
        }
    }
    Ok(AgentList { branches, archived })
}

/// An agent in detail.
pub fn show_agent(store: &mut Store, ctx: &Context, name: &str) -> Result<AgentDetail, AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    let here = addresses::home(ctx);
    let question = match &row.question {
        Some(id) => store.messages_by_prefix(id.as_str())?.into_iter().next(),
        None => None,
    };
    let runs = match row.runs() {
        Some(scope) => store.runs(&RunFilter {
            scope,
            open_only: true,
            limit: MAX_RUNS,
        })?,
        None => Vec::new(),
    };
    Ok(AgentDetail {
        agent: summary(store, &row)?,
        session: row.session.map(|session| session.0),
        directory: row.directory,
        question: question.map(|row| crate::messages::view(&row, &here)),
        runs: runs.iter().map(|run| run.id.clone()).collect(),
        started_by: row.started_by.map(|by| by.to_string()),
        process: row.process.map(|process| process.pid),
        exit_code: row.exit_code,
        log: row.log,
        recoveries: row.recoveries,
        wakeups: row.spent.wakeups,
        agents_started: row.spent.agents,
        tokens: row.spent.tokens,
        cost: row.spent.cost,
        created_at: row.created_at,
    })
}

/// Archives an agent: hides it until it receives a message.
pub fn archive_agent(store: &mut Store, ctx: &Context, name: &str) -> Result<AgentAddress, AppError> {
    let row = agents::resolve_agent(store, ctx, name)?;
    store.transaction(|tx| {
        let now = tx
            .agent(&row.project, &row.address)?
            .unwrap_or_else(|| row.clone());
        apply_signal(tx, ctx, now, Signal::Archived).map(|row| row.address)
    })
}

pub(crate) fn summary(store: &mut Store, row: &AgentRow) -> Result<AgentSummary, AppError> {
    let unread = store.unread(&row.project, &row.address, 1)?;
    Ok(AgentSummary {
        address: row.address.to_string(),
        name: row.address.name().to_owned(),
        status: row.state.status,
        session_ended: session_ended(store, row)?,
        client: row.client.clone(),
        role: row.role.map(|role| role.as_str().to_owned()),
        task: row.task.clone(),
        host: hosts::host_of(store, row)?,
        unread: unread.rows.len() as u64 + unread.more,
        changed_at: row.changed_at,
    })
}

/// Whether an agent is idle because its session has ended. A supervised client exits after every turn, and Bugle starts
/// it again for the next message.
fn session_ended(store: &mut Store, row: &AgentRow) -> Result<bool, AppError> {
    let is_idle = row.state.status == AgentStatus::Idle;
    let Some(session) = row.session.as_ref().filter(|_| is_idle) else {
        return Ok(false);
    };
    let has_ended = store
        .session(session)?
        .is_some_and(|session| session.ended.is_some());
    Ok(has_ended && store.delivery(&row.project, &row.address)?.is_none())
}
