//! The holders of runs and tasks, and their names.
//!
//! An agent holds its tasks under its name, so that the tasks survive a change of session. An agent without a name
//! holds tasks under its session. The session still counts as one of the agent's names later.

use std::cell::RefCell;
use std::collections::BTreeMap;

use bugle_core::agent::AgentNames;
use bugle_core::id::{Actor, SessionId, Timestamp};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::name::AgentName;
use bugle_core::ownership::{Ownership, SessionFacts};
use bugle_store::{AgentRow, Plan, ProjectId, Store, StoreError};

use crate::agents::current_agent;
use crate::{AppError, Context, addresses};

/// The branch name for agents outside git.
const NO_BRANCH: &str = "-";

/// The holder of a run or a task.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    /// Whether the holder may still be working.
    pub ownership: Ownership,
    /// The name to show; an agent's name starts with `@`.
    pub name: String,
    /// When the holder was last seen.
    pub seen: Timestamp,
}

/// An agent or a person that can hold tasks.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    /// The name under which the worker starts tasks.
    pub name: AgentName,
    /// Whether the worker is an agent. A person may work on any task.
    pub is_agent: bool,
    names: AgentNames,
    address: Option<AgentAddress>,
    home: Home,
    /// Cache of other task holders, by project and name.
    met: RefCell<BTreeMap<(String, String), MetHolder>>,
}

/// The data found so far about a task holder.
#[derive(Debug, Clone)]
struct MetHolder {
    row: Option<AgentRow>,
    holder: Option<Holder>,
}

/// The holder for a session: the session's agent, or the session itself if there is no agent.
pub(crate) fn session_holder(
    store: &mut Store,
    ctx: &Context,
    session: &SessionId,
) -> Result<Holder, AppError> {
    let agent = store.agent_of_session(session)?;
    let home = addresses::home(ctx);
    let own = agent.as_ref().map(|agent| agent.address.clone());
    let address = own.or_else(|| AgentAddress::of_session(&session.0, &home));
    let name = address.map_or_else(
        || format!("the session {session}"),
        |address| format!("@{}", address.seen_from(&home)),
    );
    known_holder(store, Some(session), agent.as_ref(), name)
}

fn known_holder(
    store: &mut Store,
    session: Option<&SessionId>,
    agent: Option<&AgentRow>,
    name: String,
) -> Result<Holder, AppError> {
    let known = match session {
        Some(session) => store.session(session)?,
        None => None,
    };
    let is_supervised = match agent {
        Some(agent) => store.delivery(&agent.project, &agent.address)?.is_some(),
        None => false,
    };
    let seen = known.as_ref().map(|known| known.seen_at);
    let seen = seen.max(agent.map(|agent| agent.changed_at));
    Ok(Holder {
        ownership: Ownership::of(SessionFacts {
            has_ended: known.is_some_and(|known| known.ended.is_some()),
            status: agent.map(|agent| agent.state.status),
            is_supervised,
        }),
        name,
        seen: seen.unwrap_or(Timestamp(0)),
    })
}

/// The caller as a worker; `None` if the caller is unknown.
pub(crate) fn worker(store: &mut Store, ctx: &Context) -> Result<Option<Worker>, AppError> {
    let row = match &ctx.actor {
        Actor::Agent(session) | Actor::Relay { agent: session, .. } => {
            store.agent_of_session_anywhere(session)?
        }
        Actor::Person(_) => None,
        Actor::Program => match (&ctx.agent, store.find_project(&ctx.project)?) {
            (Some(agent), Some(project)) => store.agent(&project, agent)?,
            _ => return Ok(None),
        },
    };
    Ok(caller_as_worker(ctx, row.as_ref()))
}

/// The caller as a worker in a known project. `row` is the caller's agent.
pub(crate) fn caller_as_worker(ctx: &Context, row: Option<&AgentRow>) -> Option<Worker> {
    let called = match &ctx.actor {
        Actor::Agent(session) | Actor::Relay { agent: session, .. } => session.0.as_str(),
        Actor::Person(name) => name.as_str(),
        // Some clients do not set the session for commands.
        Actor::Program => ctx.agent.as_ref()?.name(),
    };
    let name = AgentName::new(called.split_whitespace().collect::<Vec<_>>().join("-")).ok()?;
    Some(match row {
        Some(row) => Worker::of(name, row),
        None => Worker {
            names: AgentNames::new(name.as_str()),
            name,
            is_agent: !matches!(ctx.actor, Actor::Person(_)),
            address: None,
            home: addresses::home(ctx),
            met: RefCell::default(),
        },
    })
}

/// The worker with this name.
pub(crate) fn worker_named(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    name: &AgentName,
) -> Result<Worker, AppError> {
    Ok(match agent_named(store, ctx, project, name)? {
        Some(row) => Worker::named(name, &row),
        None => Worker {
            names: AgentNames::new(name.as_str()),
            name: name.clone(),
            is_agent: true,
            address: None,
            home: addresses::home(ctx),
            met: RefCell::default(),
        },
    })
}

/// The agent that holds tasks under this name.
fn agent_named(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    name: &AgentName,
) -> Result<Option<AgentRow>, AppError> {
    let found = match address_named(ctx, name) {
        Some(address) => current_agent(store, project, &address)?.1,
        None => None,
    };
    match found {
        Some(row) => Ok(Some(row)),
        None => Ok(store.agent_of_session(&SessionId(bare(name).to_owned()))?),
    }
}

/// Plans the queries that look up the task holder with this name.
pub(crate) fn plan_holder(
    plan: &mut Plan<'_>,
    ctx: &Context,
    project: &ProjectId,
    name: &AgentName,
) -> Result<(), StoreError> {
    let session = SessionId(bare(name).to_owned());
    plan.agent_of_session(&session)?;
    plan.session(&session)?;
    if let Some(address) = address_named(ctx, name) {
        plan.agent(project, &address)?;
        plan.delivery(project, &address)?;
        plan.each_session_of(project, &address, |plan, session| {
            plan.session(session)?;
            plan.agent_of_session_anywhere(session).map(drop)
        })?;
    }
    Ok(())
}

/// The address to which a task holder's name refers in the current project.
fn address_named(ctx: &Context, name: &AgentName) -> Option<AgentAddress> {
    let home = addresses::home(ctx);
    let text = bare(name);
    match text.split(':').collect::<Vec<_>>().as_slice() {
        [branch, name] => AgentAddress::new(home.project(), branch, name).ok(),
        [_, _, _] => text.parse().ok(),
        _ => AgentAddress::of_session(text, &home),
    }
}

fn bare(name: &AgentName) -> &str {
    name.as_str().trim_start_matches('@')
}

/// All names of an agent.
pub(crate) fn names_of(row: &AgentRow) -> AgentNames {
    let address = &row.address;
    let names = AgentNames::new(address.name())
        .and(&on_branch(address))
        .and(&address.to_string());
    match &row.session {
        Some(session) => names.and(&session.0),
        None => names,
    }
}

fn on_branch(address: &AgentAddress) -> String {
    format!("{}:{}", address.branch(), address.name())
}

impl Worker {
    /// The agent in `row` as a worker, if `name` refers to that agent; otherwise `None`.
    pub(crate) fn known(ctx: &Context, name: &AgentName, row: &AgentRow) -> Option<Self> {
        let is_meant = row.address.home() == addresses::home(ctx)
            || address_named(ctx, name).as_ref() == Some(&row.address);
        (is_meant && row.renamed.is_none()).then(|| Self::named(name, row))
    }

    /// The agent in `row` as a worker that holds its tasks under `name`.
    fn named(name: &AgentName, row: &AgentRow) -> Self {
        Self {
            name: name.clone(),
            ..Self::of(name.clone(), row)
        }
    }

    fn of(called: AgentName, row: &AgentRow) -> Self {
        let address = row.address.clone();
        let names = names_of(row).and(called.as_str());
        // Another branch may have an agent with the same name.
        let name = if address.branch() == NO_BRANCH {
            address.name().to_owned()
        } else {
            on_branch(&address)
        };
        Self {
            name: AgentName::new(name).unwrap_or(called),
            is_agent: true,
            names,
            home: address.home(),
            address: Some(address),
            met: RefCell::default(),
        }
    }

    /// Whether this is the worker's current name, not an earlier one.
    pub(crate) fn is_called(&self, holder: &AgentName) -> bool {
        self.names.include(holder.as_str())
    }

    /// Whether a task holder's name refers to this worker.
    pub(crate) fn has(
        &self,
        store: &mut Store,
        ctx: &Context,
        project: &ProjectId,
        holder: &AgentName,
    ) -> Result<bool, AppError> {
        if self.is_called(holder) {
            return Ok(true);
        }
        let Some(own) = &self.address else {
            return Ok(false);
        };
        // The agent may hold the task under an earlier name.
        let row = self.meet(store, ctx, project, holder)?.row;
        Ok(row.is_some_and(|row| row.address == *own))
    }

    /// Looks up the agent that holds tasks under a name.
    fn meet(
        &self,
        store: &mut Store,
        ctx: &Context,
        project: &ProjectId,
        name: &AgentName,
    ) -> Result<MetHolder, AppError> {
        let key = (project.0.clone(), name.to_string());
        if let Some(known) = self.met.borrow().get(&key) {
            return Ok(known.clone());
        }
        let row = agent_named(store, ctx, project, name)?;
        let met = MetHolder { row, holder: None };
        self.met.borrow_mut().insert(key, met.clone());
        Ok(met)
    }

    /// Looks up the task holder with this name. The holder's name is shown relative to this worker.
    fn other_holder(
        &self,
        store: &mut Store,
        ctx: &Context,
        project: &ProjectId,
        name: &AgentName,
    ) -> Result<Holder, AppError> {
        let MetHolder { row, holder } = self.meet(store, ctx, project, name)?;
        if let Some(holder) = holder {
            return Ok(holder);
        }
        let holder = holder_named(store, name, row.as_ref(), &self.home)?;
        let met = MetHolder {
            row,
            holder: Some(holder.clone()),
        };
        let key = (project.0.clone(), name.to_string());
        self.met.borrow_mut().insert(key, met);
        Ok(holder)
    }
}

/// Looks up the task holder with this name. The holder's name is shown relative to the reader.
pub(crate) fn task_holder(
    store: &mut Store,
    ctx: &Context,
    project: &ProjectId,
    name: &AgentName,
    reader: Option<&Worker>,
) -> Result<Holder, AppError> {
    if let Some(reader) = reader {
        return reader.other_holder(store, ctx, project, name);
    }
    let row = agent_named(store, ctx, project, name)?;
    holder_named(store, name, row.as_ref(), &addresses::home(ctx))
}

/// Builds the task holder with this name. `row` is the holder's agent; `home` is the reader's home.
fn holder_named(
    store: &mut Store,
    name: &AgentName,
    row: Option<&AgentRow>,
    home: &Home,
) -> Result<Holder, AppError> {
    let shown = row.map_or_else(
        || name.to_string(),
        |row| format!("@{}", row.address.seen_from(home)),
    );
    let session = match row {
        Some(row) => row.session.clone(),
        None => Some(SessionId(name.to_string())),
    };
    known_holder(store, session.as_ref(), row, shown)
}
