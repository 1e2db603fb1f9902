//! How an agent stands, as far as its client's hooks tell; and whether others have spoken to it.

use bugle_core::agent::Signal;
use bugle_core::id::SessionId;
use bugle_core::message::AgentAddress;
use bugle_store::{MessageStore as _, ProjectId};
use bugle_wire::hook::{HookAnswer, HookCall, HookEvent};

use crate::{App, AppError};

impl App {
    /// A turn of the main thread begins. An agent that was never heard of is known from now on.
    pub(super) fn note_beginning(&mut self, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
        self.agent_of(session, Some(call.client.as_str()))?;
        self.signal_session(session, Signal::TurnBegan)
    }

    /// What was answered ends a turn or a session of the main thread, or does not.
    pub(super) fn note_end(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        answer: &HookAnswer,
    ) -> Result<(), AppError> {
        match call.event {
            HookEvent::Stop if answer.go_on.is_none() => self.signal_session(session, Signal::TurnEnded),
            HookEvent::SessionEnd => {
                let open_work = self.main_run(session)?.is_some();
                self.signal_session(session, Signal::SessionEnded { open_work })
            }
            _ => Ok(()),
        }
    }

    /// Whether others have said anything to the agent here that it has not read.
    pub(super) fn has_unread(&mut self) -> Result<bool, AppError> {
        let Some((project, agent)) = self.mailbox_here()? else {
            return Ok(false);
        };
        Ok(!self.store.unread(&project, &agent, 1)?.rows.is_empty())
    }

    /// How much the agent here has not read.
    pub(super) fn count_unread(&mut self) -> Result<u64, AppError> {
        let Some((project, agent)) = self.mailbox_here()? else {
            return Ok(0);
        };
        let unread = self.store.unread(&project, &agent, 1)?;
        Ok(unread.more.saturating_add(unread.rows.len() as u64))
    }

    /// The place of the last message to the agent here that is worth a turn; nothing if it has read that.
    pub(super) fn called_at(&mut self) -> Result<Option<u64>, AppError> {
        let Some((project, agent)) = self.mailbox_here()? else {
            return Ok(None);
        };
        Ok(self.store.called_at(&project, &agent)?)
    }

    /// The mailbox of the agent here.
    pub(super) fn mailbox_here(&mut self) -> Result<Option<(ProjectId, AgentAddress)>, AppError> {
        match self.me(None) {
            Ok(me) => Ok(me.project.map(|project| (project, me.address))),
            // A session whose id has no letter in it has no name, and nobody can speak to it.
            Err(AppError::Usage { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
