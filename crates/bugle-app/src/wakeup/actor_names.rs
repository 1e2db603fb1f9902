//! The names of the actors in a wake-up.

use std::collections::BTreeMap;

use bugle_core::id::{Actor, SessionId};
use bugle_core::message::{AgentAddress, Home};
use bugle_core::reply::Author;
use bugle_store::{AgentRow, ProjectId, Store};

use crate::agents::current_name;
use crate::{AppError, Context, addresses};

/// Actors' names, relative to this project. Looks each name up only once.
pub(super) struct ActorNames<'a> {
    project: Option<&'a ProjectId>,
    home: Home,
    /// Addresses by session; `None` if the session has none.
    known: BTreeMap<String, Option<String>>,
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
            let address = Some(names.seen(&row.address));
            names.known.extend(
                row.session
                    .iter()
                    .map(|session| (session.0.clone(), address.clone())),
            );
        }
        names
    }

    /// An actor with its agent's address.
    pub(super) fn author(&mut self, store: &mut Store, by: &Actor) -> Result<Author, AppError> {
        let Some(session) = by.session() else {
            return Ok(by.into());
        };
        let address = if let Some(known) = self.known.get(&session.0) {
            known.clone()
        } else {
            let found = self.address_of(store, session)?.map(|found| self.seen(&found));
            self.known.insert(session.0.clone(), found.clone());
            found
        };
        Ok(Author::new(by, address))
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

    fn seen(&self, address: &AgentAddress) -> String {
        address.seen_from(&self.home)
    }
}
