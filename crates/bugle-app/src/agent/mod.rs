//! Agents: who acts here, how agents come to be known, and what happens to them.
//!
//! Who an agent is hangs on its session. The folder and the branch of the moment only matter when it is first heard of.

mod list;
mod spending;

use bugle_core::agent::{Signal, Standing, automatic_name, is_handy};
use bugle_core::id::{Actor, SessionId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::role::AgentRole;
use bugle_store::{AgentRow, AgentStore, ProjectId, SessionStore as _, TaskStore as _};

pub use list::AgentScope;
pub(crate) use spending::Spender;

use crate::message::{home, named};
use crate::task::ID_TRIES;
use crate::{App, AppError};

/// How often an agent may have been given another name.
const MOST_NAMES: usize = 8;

/// Who acts here.
pub(crate) struct Me {
    /// The project that they belong to, if it is known.
    pub project: Option<ProjectId>,
    /// Where they are at home: what they need not say in an address.
    pub home: Home,
    /// Who they are.
    pub address: AgentAddress,
}

/// An agent that makes itself known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RegisterRequest {
    /// How it wants to be called; a name is made up if it does not say.
    pub name: Option<String>,
    /// Its role.
    pub role: Option<AgentRole>,
    /// Its client.
    pub client: Option<String>,
}

/// Follows an address to what its agent is called now.
pub(crate) fn current_name(
    store: &mut impl AgentStore,
    project: &ProjectId,
    address: &AgentAddress,
) -> Result<AgentAddress, AppError> {
    let mut address = address.clone();
    for _ in 0..MOST_NAMES {
        match store.agent(project, &address)?.and_then(|row| row.renamed) {
            Some(next) => address = next,
            None => break,
        }
    }
    Ok(address)
}

/// Something happens to an agent; nothing is written if it changes nothing.
pub(crate) fn signalled(
    store: &mut impl AgentStore,
    mut row: AgentRow,
    signal: Signal,
) -> Result<AgentRow, AppError> {
    let after = row.standing.after(signal);
    if after != row.standing {
        row.standing = after;
        row.changed_at = crate::now();
        store.keep_agent(&row)?;
    }
    Ok(row)
}

impl App {
    /// Who acts here: whoever it is said to be, else the agent of the session, else the person. Their project is theirs,
    /// wherever they are at the moment.
    pub(crate) fn me(&mut self, name: Option<&str>) -> Result<Me, AppError> {
        let known = match &self.place.session {
            Some(session) => self.store.agent_of_session(session)?,
            // Some clients do not tell their commands which session they belong to.
            None => self.agent_told()?,
        };
        let (project, home) = match &known {
            Some(row) => (Some(row.project.clone()), row.address.home()),
            None => (self.project()?, home(&self.place)),
        };
        let address = match (name, known, &self.place.actor) {
            (Some(name), _, _) => {
                let address = named(name, &home)?;
                match &project {
                    Some(project) if address.project() == home.project() => {
                        current_name(&mut self.store, project, &address)?
                    }
                    _ => address,
                }
            }
            (None, Some(row), _) => row.address,
            (None, None, Actor::Agent(session) | Actor::Relay { agent: session, .. }) => {
                AgentAddress::of_session(&session.0, &home).ok_or_else(nobody)?
            }
            (None, None, Actor::Person(_)) => AgentAddress::human(&home),
            (None, None, Actor::Program) => return Err(nobody()),
        };
        Ok(Me {
            project,
            home,
            address,
        })
    }

    /// The agent that a session belongs to, made known if it is not.
    pub(crate) fn agent_of(
        &mut self,
        session: &SessionId,
        client: Option<&str>,
    ) -> Result<AgentRow, AppError> {
        if let Some(row) = self.store.agent_of_session(session)? {
            self.hear_by_session(&row, session)?;
            return Ok(row);
        }
        if let Some(row) = self.agent_awaited(session)? {
            return Ok(row);
        }
        let project = self.made_project()?;
        let home = home(&self.place);
        let own = AgentAddress::of_session(&session.0, &home);
        let client = match client {
            Some(client) => Some(client.to_owned()),
            None => self.store.session(session)?.map(|row| row.client),
        };
        for attempt in 0..ID_TRIES {
            let made_up = automatic_name(client.as_deref().unwrap_or("agent"), crate::random()?);
            let address = match &own {
                Some(own) if attempt == 0 && is_handy(own.name()) => own.clone(),
                _ => AgentAddress::new(home.project(), home.branch(), &made_up)
                    .map_err(|bad| AppError::System(bad.to_string()))?,
            };
            let row = AgentRow {
                client: client.clone(),
                session: Some(session.clone()),
                ..self.new_agent(project.clone(), address)
            };
            let made = self.store.together(|store| {
                if !store.add_agent(&row)? {
                    // Another process of the same session may have been quicker; else the name is taken.
                    return Ok(store.agent_of_session(session)?);
                }
                if let Some(own) = own.as_ref().filter(|own| **own != row.address) {
                    rename(store, &row, own)?;
                }
                Ok::<_, AppError>(Some(row.clone()))
            })?;
            if let Some(row) = made {
                return Ok(row);
            }
        }
        Err(AppError::System(
            "no free name was found for the agent".to_owned(),
        ))
    }

    /// Whoever writes to the id of its session means an agent, also after the client gave it a new one.
    fn hear_by_session(&mut self, row: &AgentRow, session: &SessionId) -> Result<(), AppError> {
        let Some(own) = AgentAddress::of_session(&session.0, &row.address.home()) else {
            return Ok(());
        };
        if own == row.address || self.store.agent(&row.project, &own)?.is_some() {
            return Ok(());
        }
        self.store.together(|store| rename(store, row, &own))
    }

    /// An agent that is not kept yet.
    fn new_agent(&self, project: ProjectId, address: AgentAddress) -> AgentRow {
        let directory = self.place.root.to_string_lossy().into_owned();
        AgentRow::new(project, address, directory, crate::now())
    }

    /// Something happens to the agent of a session.
    pub(crate) fn signal_session(&mut self, session: &SessionId, signal: Signal) -> Result<(), AppError> {
        self.store.together(|store| {
            if let Some(row) = store.agent_of_session(session)? {
                signalled(store, row, signal)?;
            }
            Ok(())
        })
    }

    /// Gives the agent of this session a name, or makes one known that has no session.
    pub fn register(&mut self, request: &RegisterRequest) -> Result<AgentAddress, AppError> {
        let project = self.made_project()?;
        let before = match self.place.session.clone() {
            Some(session) => Some(self.agent_of(&session, request.client.as_deref())?),
            None => None,
        };
        let home = before
            .as_ref()
            .map_or_else(|| home(&self.place), |row| row.address.home());
        let about = request.role.map_or("agent", AgentRole::as_str);
        for _ in 0..ID_TRIES {
            let address = match (&request.name, &before) {
                (Some(name), _) => free_name(name, &home)?,
                (None, Some(row)) => row.address.clone(),
                (None, None) => {
                    let name = automatic_name(about, crate::random()?);
                    AgentAddress::new(home.project(), home.branch(), &name)
                        .map_err(|bad| AppError::System(bad.to_string()))?
                }
            };
            let own = before
                .clone()
                .unwrap_or_else(|| self.new_agent(project.clone(), address.clone()));
            let row = AgentRow {
                role: request.role.or(own.role),
                client: request.client.clone().or(own.client.clone()),
                ..own
            };
            let done = self.store.together(|store| {
                if before.as_ref().is_some_and(|before| before.address == address) {
                    return Ok(store.keep_agent(&row)?);
                }
                let Some(before) = &before else {
                    return Ok(store.add_agent(&row)?);
                };
                if store.agent(&row.project, &address)?.is_some() {
                    return Ok(false);
                }
                // The session goes over to the new name, and so does what was said to the old one.
                let old = AgentRow {
                    session: None,
                    standing: Standing::new(false),
                    question: None,
                    process: None,
                    renamed: Some(address.clone()),
                    ..before.clone()
                };
                store.keep_agent(&old)?;
                let new = AgentRow {
                    address: address.clone(),
                    ..row.clone()
                };
                let made = store.add_agent(&new)?;
                store.forward_mail(&row.project, &old.address, &address, crate::now())?;
                Ok::<_, AppError>(made)
            })?;
            if done {
                return Ok(address);
            }
            if request.name.is_some() {
                return Err(AppError::Usage {
                    what: format!("another agent is called {address} already; nothing was changed"),
                    hints: vec![format!(
                        "`{}` shows who there is.",
                        self.place.command(&["agents", "--all"])
                    )],
                });
            }
        }
        Err(AppError::System(
            "no free name was found for the agent".to_owned(),
        ))
    }
}

/// Whoever writes to `old` means this agent from now on; what was said to it before goes along.
fn rename(store: &mut impl AgentStore, row: &AgentRow, old: &AgentAddress) -> Result<(), AppError> {
    let alias = AgentRow {
        renamed: Some(row.address.clone()),
        ..AgentRow::new(
            row.project.clone(),
            old.clone(),
            row.directory.clone(),
            row.created_at,
        )
    };
    store.add_agent(&alias)?;
    store.forward_mail(&row.project, old, &row.address, row.created_at)?;
    Ok(())
}

/// A name that an agent may give itself here.
pub(crate) fn free_name(name: &str, home: &Home) -> Result<AgentAddress, AppError> {
    let address = named(name, home)?;
    if address.is_human() || address.is_bugle() || address.home() != *home {
        return Err(AppError::Usage {
            what: format!("`{name}` is no name for an agent here"),
            hints: vec![
                "One has a-z, 0-9, - and _ in it, no colon, and is neither human, all nor bugle.".to_owned(),
            ],
        });
    }
    Ok(address)
}

fn nobody() -> AppError {
    AppError::Usage {
        what: "nothing here says who you are: there is no session and no terminal".to_owned(),
        hints: vec!["Give your name: `--as NAME` to speak, `--for NAME` to read.".to_owned()],
    }
}
