//! Who has a run: whoever turns to it gets it, or is told whose it is and how to take it over.

use bugle_core::agent::{Approach, Holding};
use bugle_core::hook::hooks_are_quiet;
use bugle_core::id::SessionId;
use bugle_render::holder as words;
use bugle_store::{RunRow, SessionStore as _};
use bugle_wire::HeldRun;

use super::Reply;
use crate::holder::{Holder, session_holder};
use crate::{App, AppError};

/// How often a run is looked at anew when others take it at the same time.
const TRIES: usize = 3;

/// What becomes of a run that somebody turns to.
pub(crate) enum Turn {
    /// It stays whose it is, and nothing is to be said: it is their own, or they are nobody who has runs.
    Nothing,
    /// It is theirs from now on.
    Taken(Holder),
    /// Another session keeps it.
    Kept(Holder),
}

impl App {
    /// That the hooks of the session that acts here have gone quiet, if they have.
    pub(super) fn quiet_hooks(&mut self, row: &RunRow) -> Result<Option<String>, AppError> {
        let Some(id) = self
            .place
            .session
            .clone()
            .filter(|_| row.session == self.place.session)
        else {
            return Ok(None);
        };
        let session = self.store.session(&id)?;
        let quiet = session.filter(|session| hooks_are_quiet(session.seen_at, row.changed_at, crate::now()));
        Ok(quiet.map(|session| {
            bugle_render::hook::hooks_are_quiet(&self.place.command(&["doctor", &session.client]))
        }))
    }

    /// Who has a run, if that is not the session that acts here.
    pub(crate) fn holder_of(&mut self, row: &RunRow) -> Result<Option<Holder>, AppError> {
        if row.session == self.place.session && row.session.is_some() {
            return Ok(None);
        }
        let Some(session) = &row.session else {
            return Ok(Some(Holder {
                holding: Holding::Nobody,
                name: "nobody".to_owned(),
                seen: row.changed_at,
            }));
        };
        let holder = session_holder(&mut self.store, &self.place, session)?;
        Ok(Some(Holder {
            seen: holder.seen.max(row.changed_at),
            ..holder
        }))
    }

    /// Somebody turns to a run.
    pub(crate) fn turn_to(&mut self, row: &RunRow, approach: Approach) -> Result<Turn, AppError> {
        let Some(session) = self.place.session.clone() else {
            return Ok(Turn::Nothing);
        };
        let mut row = row.clone();
        for _ in 0..TRIES {
            // A sub-agent's run hangs on the one that called for it.
            if row.child.is_some() || !row.status.is_open() {
                return Ok(Turn::Nothing);
            }
            let Some(holder) = self.holder_of(&row)? else {
                return Ok(Turn::Nothing);
            };
            if approach == Approach::GoesOn && self.is_over(&session)? {
                // A server that a session started does not hear that the client has begun another one.
                return Ok(Turn::Nothing);
            }
            if !holder.holding.goes_to(approach) {
                return Ok(Turn::Kept(holder));
            }
            if self.store.take_run(&row.id, row.session.as_ref(), &session)? {
                return Ok(Turn::Taken(holder));
            }
            row = self.select(&super::RunSelector::Run(row.id))?;
        }
        Ok(Turn::Nothing)
    }

    fn is_over(&mut self, session: &SessionId) -> Result<bool, AppError> {
        let known = self.store.session(session)?;
        Ok(known.is_some_and(|known| known.ended.is_some()))
    }

    /// The same for a command; what is to be said about it.
    pub(super) fn turned_to(&mut self, row: &RunRow, approach: Approach) -> Result<Option<String>, AppError> {
        Ok(match self.turn_to(row, approach)? {
            Turn::Nothing => None,
            Turn::Taken(holder) => words::taken(holder.holding, &holder.name),
            Turn::Kept(holder) => {
                let command = self.place.command(&["resume", row.id.as_str()]);
                let age = crate::now().0.saturating_sub(holder.seen.0);
                Some(words::kept(&holder.name, age, &command))
            }
        })
    }

    /// A run that another session has, for somebody who has none.
    pub(crate) fn held_run(&self, row: &RunRow, holder: &Holder) -> HeldRun {
        HeldRun {
            run: row.id.to_string(),
            skill: row.skill.clone(),
            with: (holder.holding != Holding::Nobody).then(|| holder.name.clone()),
            is_over: holder.holding != Holding::Perhaps,
            seen: words::ago(crate::now().0.saturating_sub(holder.seen.0)),
            command: self.place.command(&["resume", row.id.as_str()]),
        }
    }
}

impl Reply {
    /// The same with something said before everything else.
    #[must_use]
    pub(super) fn saying(mut self, notice: Option<String>) -> Self {
        if let Some(notice) = notice {
            match &mut self {
                Self::Step(step) => step.notices.insert(0, notice),
                Self::End(end) => end.notices.insert(0, notice),
            }
        }
        self
    }
}
