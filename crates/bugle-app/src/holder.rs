//! Who has some work, and who acts: by the names that runs and tasks know them by.
//!
//! An agent holds its tasks under its name, so that they stay its own whatever its client calls the session. Tasks that
//! were begun before it had a name are held under the session, which is one of its names as well.

use bugle_core::agent::{Holding, KnownSession, Names};
use bugle_core::id::{Actor, SessionId, Timestamp};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::name::AgentName;
use bugle_store::{
    AgentRow, AgentStore as _, LaunchStore as _, ProjectId, SessionStore as _, SqliteStore, Store as _,
};

use crate::agent::current_name;
use crate::message::home;
use crate::{AppError, Place};

/// Where there is no branch, nothing but the name tells agents apart.
const NO_BRANCH: &str = "-";

/// Somebody who has some work, as they are spoken of.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    /// Whether they may still be at it.
    pub holding: Holding,
    /// Who it is: an agent by its name, with the `@`.
    pub name: String,
    /// When they were last heard of.
    pub seen: Timestamp,
}

/// Whoever acts, as somebody who can have tasks.
#[derive(Debug, Clone)]
pub(crate) struct Worker {
    /// The name under which they begin a task.
    pub name: AgentName,
    /// Whether it is an agent: a person may do what is meant for anybody.
    pub is_agent: bool,
    names: Names,
    address: Option<AgentAddress>,
    home: Home,
}

/// A session that has some work.
pub(crate) fn session_holder(
    store: &mut SqliteStore,
    place: &Place,
    session: &SessionId,
) -> Result<Holder, AppError> {
    let agent = store.agent_of_session(session)?;
    let home = home(place);
    let own = agent.as_ref().map(|agent| agent.address.clone());
    let address = own.or_else(|| AgentAddress::of_session(&session.0, &home));
    let name = address.map_or_else(
        || format!("the session {session}"),
        |address| format!("@{}", address.seen_from(&home)),
    );
    known_holder(store, Some(session), agent.as_ref(), name)
}

fn known_holder(
    store: &mut SqliteStore,
    session: Option<&SessionId>,
    agent: Option<&AgentRow>,
    name: String,
) -> Result<Holder, AppError> {
    let known = match session {
        Some(session) => store.session(session)?,
        None => None,
    };
    let is_looked_after = match agent {
        Some(agent) => store.launch(&agent.project, &agent.address)?.is_some(),
        None => false,
    };
    let seen = known.as_ref().map(|known| known.seen_at);
    let seen = seen.max(agent.map(|agent| agent.changed_at));
    Ok(Holder {
        holding: Holding::of(KnownSession {
            has_ended: known.is_some_and(|known| known.ended.is_some()),
            status: agent.map(|agent| agent.standing.status),
            is_looked_after,
        }),
        name,
        seen: seen.unwrap_or(Timestamp(0)),
    })
}

/// Whoever acts here; nobody if nothing says who that is.
pub(crate) fn worker(store: &mut SqliteStore, place: &Place) -> Result<Option<Worker>, AppError> {
    let (called, row) = match &place.actor {
        Actor::Agent(session) | Actor::Relay { agent: session, .. } => {
            (session.0.clone(), store.agent_of_session(session)?)
        }
        Actor::Person(name) => (name.clone(), None),
        // Some clients do not tell their commands which session they belong to.
        Actor::Program => match (&place.agent, store.find_project(&place.project)?) {
            (Some(agent), Some(project)) => (agent.name().to_owned(), store.agent(&project, agent)?),
            _ => return Ok(None),
        },
    };
    let Ok(name) = AgentName::new(called.split_whitespace().collect::<Vec<_>>().join("-")) else {
        return Ok(None);
    };
    Ok(Some(match row {
        Some(row) => Worker::of(name, &row),
        None => Worker {
            names: Names::new(name.as_str()),
            name,
            is_agent: !matches!(place.actor, Actor::Person(_)),
            address: None,
            home: home(place),
        },
    }))
}

/// Somebody who is named.
pub(crate) fn worker_named(
    store: &mut SqliteStore,
    place: &Place,
    project: &ProjectId,
    name: &AgentName,
) -> Result<Worker, AppError> {
    Ok(match agent_called(store, place, project, name)? {
        // What somebody says is kept as it was said.
        Some(row) => Worker {
            name: name.clone(),
            ..Worker::of(name.clone(), &row)
        },
        None => Worker {
            names: Names::new(name.as_str()),
            name: name.clone(),
            is_agent: true,
            address: None,
            home: home(place),
        },
    })
}

/// The agent that holds tasks under a name.
fn agent_called(
    store: &mut SqliteStore,
    place: &Place,
    project: &ProjectId,
    name: &AgentName,
) -> Result<Option<AgentRow>, AppError> {
    let home = home(place);
    let text = name.as_str().trim_start_matches('@');
    let address = match text.split(':').collect::<Vec<_>>().as_slice() {
        [branch, name] => AgentAddress::new(home.project(), branch, name).ok(),
        [_, _, _] => text.parse().ok(),
        _ => AgentAddress::of_session(text, &home),
    };
    let found = match address {
        Some(address) => {
            let current = current_name(store, project, &address)?;
            store.agent(project, &current)?
        }
        None => None,
    };
    match found {
        Some(row) => Ok(Some(row)),
        None => Ok(store.agent_of_session(&SessionId(text.to_owned()))?),
    }
}

/// All names of an agent.
pub(crate) fn names_of(row: &AgentRow) -> Names {
    let address = &row.address;
    let names = Names::new(address.name())
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
    fn of(called: AgentName, row: &AgentRow) -> Self {
        let address = row.address.clone();
        let names = names_of(row).and(called.as_str());
        // Another branch may have an agent of the same name.
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
        }
    }

    /// Whether a task that is held under this name is theirs.
    pub(crate) fn has(
        &self,
        store: &mut SqliteStore,
        place: &Place,
        project: &ProjectId,
        holder: &AgentName,
    ) -> Result<bool, AppError> {
        if self.names.include(holder.as_str()) {
            return Ok(true);
        }
        let Some(own) = &self.address else {
            return Ok(false);
        };
        // They may have been called so before.
        let row = agent_called(store, place, project, holder)?;
        Ok(row.is_some_and(|row| row.address == *own))
    }
}

/// Whoever holds a task under this name.
pub(crate) fn task_holder(
    store: &mut SqliteStore,
    place: &Place,
    project: &ProjectId,
    name: &AgentName,
    reader: Option<&Worker>,
) -> Result<Holder, AppError> {
    let row = agent_called(store, place, project, name)?;
    let here = home(place);
    let from = reader.map_or(&here, |reader| &reader.home);
    let called = row.as_ref().map_or_else(
        || name.to_string(),
        |row| format!("@{}", row.address.seen_from(from)),
    );
    let session = match &row {
        Some(row) => row.session.clone(),
        None => Some(SessionId(name.to_string())),
    };
    known_holder(store, session.as_ref(), row.as_ref(), called)
}
