//! Who acts, and whether they may: the facts that the rule in `bugle_core::rights` decides on.

use bugle_core::engine::{Refusal, input_since};
use bugle_core::id::{Actor, RunId, SessionId, Timestamp};
use bugle_core::rights::{Action, Caller, Lack, Right, is_heard, right};
use bugle_render::words;
use bugle_store::{SessionStore as _, SqliteStore, Store as _};
use bugle_wire::RefusalView;

use crate::run::OpenRun;
use crate::{App, AppError, Lineage, Place, ancestors};

/// Who acts, seen by what this process and its ancestors show.
enum Acting {
    /// A person.
    Person,
    /// An agent, in the session that is known, if one is.
    Agent {
        session: Option<SessionId>,
        /// Whether its client was started by another agent, so that nobody types its prompts.
        is_nested: bool,
    },
    /// A program outside any session.
    Program,
}

fn acting(place: &Place) -> Acting {
    if place.lineage == Lineage::Person {
        return Acting::Person;
    }
    let above = ancestors::look();
    match &place.actor {
        Actor::Agent(session) | Actor::Relay { agent: session, .. } => Acting::Agent {
            is_nested: above.is_nested || above.session.as_ref().is_some_and(|other| other != session),
            session: Some(session.clone()),
        },
        _ if place.lineage == Lineage::Client || above.has_client => Acting::Agent {
            is_nested: above.is_nested,
            session: above.session,
        },
        Actor::Person(_) => Acting::Person,
        Actor::Program => Acting::Program,
    }
}

/// Whether an agent acts whose client tells nobody its session.
pub(crate) fn is_agent_without_session(place: &Place) -> bool {
    matches!(acting(place), Acting::Agent { session: None, .. })
}

/// Who acts on a task.
pub(crate) enum Hand {
    /// A person.
    Person,
    /// An agent, in the session that is known, if one is.
    Agent(Option<SessionId>),
    /// A program outside any session.
    Program,
}

/// Who acts. The ancestors are looked at only where the environment names no session.
pub(crate) fn hand(place: &Place) -> Hand {
    match place.actor.session() {
        Some(session) if place.lineage != Lineage::Person => Hand::Agent(Some(session.clone())),
        _ => match acting(place) {
            Acting::Person => Hand::Person,
            Acting::Agent { session, .. } => Hand::Agent(session),
            Acting::Program => Hand::Program,
        },
    }
}

/// When the user last typed something in the session of the agent that acts.
pub(crate) fn user_input(store: &mut SqliteStore, place: &Place) -> Result<Option<Timestamp>, AppError> {
    match acting(place) {
        Acting::Agent { session, is_nested } => input_in(store, session.as_ref(), is_nested),
        Acting::Person | Acting::Program => Ok(None),
    }
}

fn input_in(
    store: &mut SqliteStore,
    session: Option<&SessionId>,
    is_nested: bool,
) -> Result<Option<Timestamp>, AppError> {
    let known = match session {
        Some(session) if !is_nested => store.session(session)?,
        _ => None,
    };
    Ok(known.and_then(|known| known.memory.user_spoke))
}

impl App {
    /// The actor that is recorded for an action on a run; an error if they may not do it.
    pub(crate) fn recorded_actor(&mut self, run: &OpenRun, action: Action) -> Result<Actor, AppError> {
        if action.is_free() {
            return Ok(self.place.actor.clone());
        }
        let since = input_since(&run.state, action);
        self.permitted(action, since, Some(&run.state.id))?
            .map_err(|lack| self.refused(run, &Refusal::NotAllowed(action, lack)))
    }

    /// The same for an action that is about no run. `command` is what a person would run.
    pub(crate) fn permit(&mut self, action: Action, command: &[&str]) -> Result<Actor, AppError> {
        let permitted = self.permitted(action, None, None)?;
        permitted.map_err(|lack| not_allowed(&self.place, action, lack, command))
    }

    fn permitted(
        &mut self,
        action: Action,
        since: Option<Timestamp>,
        run: Option<&RunId>,
    ) -> Result<Result<Actor, Lack>, AppError> {
        let acting = acting(&self.place);
        let caller = match &acting {
            Acting::Person => Caller::Person,
            Acting::Agent { session, is_nested } => {
                let input = input_in(&mut self.store, session.as_ref(), *is_nested)?;
                Caller::Agent {
                    heard: is_heard(input, since),
                }
            }
            Acting::Program => Caller::Program {
                on_agents_run: self.is_agents(run)?,
            },
        };
        Ok(match (right(action, caller), acting) {
            (Right::Refused(lack), _) => Err(lack),
            (
                Right::Relayed,
                Acting::Agent {
                    session: Some(agent), ..
                },
            ) => Ok(Actor::Relay {
                agent,
                user: self.place.user.clone(),
            }),
            (Right::Own | Right::Relayed, _) => Ok(self.place.actor.clone()),
        })
    }

    /// Whether an agent's session holds a run.
    fn is_agents(&mut self, run: Option<&RunId>) -> Result<bool, AppError> {
        let Some(run) = run else { return Ok(false) };
        let rows = self.store.runs_by_prefix(run.as_str())?;
        let row = rows.into_iter().find(|row| row.id == *run);
        Ok(row.is_some_and(|row| row.session.is_some()))
    }
}

/// Refuses what may not be done here. The store is opened for an agent only: it tells what the agent's user typed.
pub fn permit_at(place: &Place, action: Action, command: &[&str]) -> Result<(), AppError> {
    let caller = match acting(place) {
        Acting::Person => Caller::Person,
        Acting::Agent { .. } => return App::open(place.clone())?.permit(action, command).map(drop),
        Acting::Program => Caller::Program { on_agents_run: false },
    };
    match right(action, caller) {
        Right::Own | Right::Relayed => Ok(()),
        Right::Refused(lack) => Err(not_allowed(place, action, lack, command)),
    }
}

fn not_allowed(place: &Place, action: Action, lack: Lack, command: &[&str]) -> AppError {
    let refusal = Refusal::NotAllowed(action, lack);
    let words = words::refusal(&refusal);
    AppError::Refused(Box::new(RefusalView {
        code: refusal.code().to_owned(),
        message: words.message,
        details: vec![format!("for the user: {}", place.command_here(command))],
        outline: None,
        remedy: words.remedy,
        position: None,
        command: None,
    }))
}
