//! Moves an agent to this machine.

use super::AgentRow;
use crate::machine_id::MachineId;
use crate::{Store, StoreError};

impl Store {
    /// Moves an agent from another machine to a folder on this one, with the open runs of its session. Returns false
    /// if the agent is no longer on that machine.
    pub fn take_over_agent(&mut self, agent: &AgentRow, from: &MachineId) -> Result<bool, StoreError> {
        self.transaction(|tx| {
            let known = tx.agent(&agent.project, &agent.address)?;
            if known.is_none_or(|known| known.machine != *from) {
                return Ok(false);
            }
            let machine = tx.machine.clone();
            if let Some(session) = &agent.session {
                tx.connection.write(
                    "UPDATE run SET machine = $3, directory = $4 WHERE session = $1 AND machine = $2 \
                     AND status IN ('active', 'waiting', 'paused')",
                    &[
                        session.0.as_str().into(),
                        from.as_str().into(),
                        machine.as_str().into(),
                        agent.directory.as_str().into(),
                    ],
                )?;
            }
            tx.keep_agent(&AgentRow {
                machine,
                ..agent.clone()
            })
        })
    }
}
