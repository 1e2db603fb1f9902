//! Whether the user typed something. Only that lets an agent act in the user's name.

use bugle_core::id::{ContentHash, SessionId};
use bugle_store::{AgentStore as _, LaunchStore as _, MessageStore as _, SessionStore as _};
use bugle_wire::hook::HookCall;

use crate::files::content_hash;
use crate::wake::unpacked;
use crate::{App, AppError, ancestors};

/// A prompt as it is compared: clients change the spaces around it.
fn fingerprint(text: &str) -> ContentHash {
    content_hash(text.trim().as_bytes())
}

impl App {
    /// Whether the prompt of a call was typed by the user: neither made by the client nor sent by Bugle.
    pub(super) fn is_typed(&mut self, call: &HookCall, session: &SessionId) -> Result<bool, AppError> {
        let Some(typed) = &call.typed else {
            return Ok(false);
        };
        if call.client.prompts_with_refusals() {
            let known = self.store.session(session)?;
            let refused_with = known.and_then(|known| known.memory.refused_with);
            if refused_with == Some(fingerprint(typed)) {
                return Ok(false);
            }
        }
        let is_sent = self.sent_prompt(session)?.as_deref().map(fingerprint) == Some(fingerprint(typed));
        Ok(!is_sent && !ancestors::is_called_by_tool(call.client))
    }

    /// The prompt that the supervisor sent last to the agent of a session; nothing if Bugle did not start that agent.
    fn sent_prompt(&mut self, session: &SessionId) -> Result<Option<String>, AppError> {
        let agent = match self.store.agent_of_session(session)? {
            Some(row) => Some(row),
            None => self.agent_told()?,
        };
        let Some(agent) = agent.filter(|row| row.task.is_some()) else {
            return Ok(None);
        };
        let launch = self.store.launch(&agent.project, &agent.address)?;
        let Some(wakeup) = launch.and_then(|launch| launch.wakeup) else {
            return Ok(None);
        };
        let bytes = self.store.wakeup_content(&wakeup)?;
        Ok(bytes.and_then(|bytes| unpacked(&bytes)))
    }

    /// The user typed something for the main thread of a session: it may relay their decisions now.
    pub(super) fn user_spoke_to(&mut self, call: &HookCall, session: &SessionId) -> Result<(), AppError> {
        let now = crate::now();
        self.remember(call, session, |memory| memory.user_spoke = Some(now))?;
        Ok(())
    }

    /// The agent goes on with this text of Bugle's: where the client reports it as a prompt, it is known again.
    pub(super) fn refused_with(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        text: Option<&str>,
    ) -> Result<(), AppError> {
        if let Some(text) = text.filter(|_| call.client.prompts_with_refusals()) {
            let hash = fingerprint(text);
            self.remember(call, session, |memory| memory.refused_with = Some(hash.clone()))?;
        }
        Ok(())
    }
}
