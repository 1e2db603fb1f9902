//! The names of the actors in a wake-up.

use std::collections::BTreeMap;

use bugle_core::id::{Actor, SessionId};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{AgentRow, ProjectId, Store};

use crate::agents::current_name;
use crate::context::UNNAMED_PERSON;
use crate::{AppError, Context, addresses};

/// Actors' names, relative to this project. Looks each name up only once.
pub(super) struct ActorNames<'a> {
    project: Option<&'a ProjectId>,
    home: Home,
    /// Names by session.
    known: BTreeMap<String, String>,
}

impl<'a> ActorNames<'a> {
    /// Starts with the names of agents that the caller has read.
    pub(super) fn new<'b>(
        ctx: &Context,
        project: Option<&'a ProjectId>,
        agents: impl Iterator<Item = &'b AgentRow>,
    ) -> Self {
        let mut names = Self {
            project,
            home: addresses::home(ctx),
            known: BTreeMap::new(),
        };
        for row in agents {
            let name = names.shown(&row.address);
            names.known.extend(
                row.session
                    .iter()
                    .map(|session| (session.0.clone(), name.clone())),
            );
        }
        names
    }

    /// An actor's name.
    pub(super) fn name_of(&mut self, store: &mut Store, by: &Actor) -> Result<String, AppError> {
        let session = match by {
            Actor::Agent(session) | Actor::Relay { agent: session, .. } => session,
            Actor::Person(name) if name == UNNAMED_PERSON => return Ok(name.clone()),
            Actor::Person(name) => return Ok(format!("{name}, a person")),
            Actor::Program => return Ok("a program outside any session".to_owned()),
        };
        if let Some(name) = self.known.get(&session.0) {
            return Ok(name.clone());
        }
        let name = match self.address_of(store, session)? {
            Some(address) => self.shown(&address),
            None => format!("the session {session}"),
        };
        self.known.insert(session.0.clone(), name.clone());
        Ok(name)
    }

    fn address_of(&self, store: &mut Store, session: &SessionId) -> Result<Option<AgentAddress>, AppError> {
        if let Some(row) = store.agent_of_session_anywhere(session)? {
            return Ok(Some(row.address));
        }
        match (AgentAddress::of_session(&session.0, &self.home), self.project) {
            // The client may have started another session for the agent since then.
            (Some(address), Some(project)) => current_name(store, project, &address).map(Some),
            (address, _) => Ok(address),
        }
    }

    fn shown(&self, address: &AgentAddress) -> String {
        format!("@{}", address.seen_from(&self.home))
    }
}
