//! Client sessions: the state of their hooks, and the run that each sub-agent works on.

use bugle_core::hook::SessionMemory;
use bugle_core::id::{RunId, SessionId, Timestamp};
use serde_json::{Map, Value as Json};

use crate::StoreError;
use crate::row::Value;
use crate::run_rows::{OPEN, RUN_COLUMNS, run_row};
use crate::{RunRow, Store};

/// A client session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session id that the client assigned.
    pub id: SessionId,
    /// The client.
    pub client: String,
    /// The folder where the session was last seen.
    pub directory: String,
    /// Why the session ended; `None` while it is open.
    pub ended: Option<String>,
    /// The state of the session's hooks.
    pub memory: SessionMemory,
    /// The state when the row was read or added; `None` if the stored state is unreadable.
    pub stored: Option<SessionMemory>,
    /// When the session was last seen.
    pub seen_at: Timestamp,
}

impl SessionRow {
    /// A new session.
    pub fn new(id: SessionId, client: &str, directory: String, now: Timestamp) -> Self {
        Self {
            id,
            client: client.to_owned(),
            directory,
            ended: None,
            memory: SessionMemory::default(),
            stored: Some(SessionMemory::default()),
            seen_at: now,
        }
    }

    /// The row after it was kept.
    #[must_use]
    pub fn kept(self) -> Self {
        Self {
            stored: Some(self.memory.clone()),
            ..self
        }
    }
}

/// The state of a session's hooks as JSON.
fn encoded(memory: &SessionMemory) -> Result<Map<String, Json>, StoreError> {
    match serde_json::to_value(memory) {
        Ok(Json::Object(fields)) => Ok(fields),
        Ok(other) => Err(StoreError::Unreadable(other.to_string())),
        Err(error) => Err(StoreError::Unreadable(error.to_string())),
    }
}

/// The names of the fields that differ, and the new values of those that still exist.
fn changed(before: &Map<String, Json>, after: Map<String, Json>) -> (Vec<String>, Map<String, Json>) {
    let removed = before.keys().filter(|name| !after.contains_key(*name));
    let mut names: Vec<String> = removed.cloned().collect();
    let values: Map<String, Json> = after
        .into_iter()
        .filter(|(name, value)| before.get(name) != Some(value))
        .collect();
    names.extend(values.keys().cloned());
    (names, values)
}

impl Store {
    /// A session by its id.
    pub fn session(&mut self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let rows = self.connection.query(
            "SELECT client, directory, ended, memory, seen_at FROM session WHERE machine = $1 AND id = $2",
            &[self.machine.as_str().into(), id.0.as_str().into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        // Unreadable state from an older or newer version is not an error: it is replaced.
        let stored: Option<SessionMemory> = serde_json::from_str(&row.text("memory")?).ok();
        Ok(Some(SessionRow {
            id: id.clone(),
            client: row.text("client")?,
            directory: row.text("directory")?,
            ended: row.optional_text("ended")?,
            memory: stored.clone().unwrap_or_default(),
            stored,
            seen_at: Timestamp(row.int("seen_at")?),
        }))
    }

    /// Inserts or updates a session. Writes only the parts of its state that have changed since the row was read, so that
    /// hooks that run at the same time keep each other's changes.
    pub fn keep_session(&mut self, row: &SessionRow) -> Result<(), StoreError> {
        let memory = encoded(&row.memory)?;
        let mut parameters = vec![
            self.machine.as_str().into(),
            row.id.0.as_str().into(),
            row.client.as_str().into(),
            row.directory.as_str().into(),
            row.ended.as_deref().into(),
            Value::from(Json::Object(memory.clone()).to_string().as_str()),
            Value::Int(row.seen_at.0),
        ];
        let merged = match &row.stored {
            None => ", memory = $6".to_owned(),
            Some(stored) => match changed(&encoded(stored)?, memory) {
                (keys, _) if keys.is_empty() => String::new(),
                (keys, values) => {
                    parameters.push(Json::Object(values).to_string().as_str().into());
                    let merged = self
                        .connection
                        .engine()
                        .merged_json("session.memory", &keys, "$8");
                    format!(", memory = {merged}")
                }
            },
        };
        let statement = format!(
            "INSERT INTO session (machine, id, client, directory, ended, memory, seen_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (machine, id) DO UPDATE SET client = $3, \
             directory = $4, ended = $5, seen_at = $7{merged}"
        );
        self.connection.write(&statement, &parameters)
    }

    /// Records the time of a session's latest hook call. The session's state does not change.
    pub fn note_hook(&mut self, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.connection.write(
            "UPDATE session SET seen_at = $3 WHERE machine = $1 AND id = $2",
            &[
                self.machine.as_str().into(),
                id.0.as_str().into(),
                Value::Int(at.0),
            ],
        )
    }

    /// The most recently ended session of this client in this folder, if it ended for this reason.
    pub fn ended_session(
        &mut self,
        client: &str,
        directory: &str,
        reason: &str,
    ) -> Result<Option<SessionId>, StoreError> {
        let rows = self.connection.query(
            "SELECT id, ended FROM session WHERE machine = $1 AND client = $2 AND directory = $3 \
             AND ended IS NOT NULL ORDER BY seen_at DESC LIMIT 1",
            &[self.machine.as_str().into(), client.into(), directory.into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        let ended_so = row.optional_text("ended")?.as_deref() == Some(reason);
        Ok(if ended_so {
            Some(SessionId(row.text("id")?))
        } else {
            None
        })
    }

    /// Moves open runs, focus and agent from one session to another.
    pub fn hand_over(&mut self, from: &SessionId, to: &SessionId) -> Result<(), StoreError> {
        let both: [Value; 3] = [
            to.0.as_str().into(),
            from.0.as_str().into(),
            self.machine.as_str().into(),
        ];
        self.connection.transaction(|db| {
            db.write(
                "UPDATE run SET session = $1 WHERE session = $2 AND machine = $3 \
                 AND status IN ('active', 'waiting', 'paused')",
                &both,
            )?;
            db.write(
                "UPDATE agent SET session = $1 WHERE session = $2 AND machine = $3 AND NOT EXISTS \
                 (SELECT 1 FROM agent AS other WHERE other.session = $1 AND other.machine = $3)",
                &both,
            )?;
            db.write(
                "UPDATE focus SET session = $1 WHERE session = $2 AND machine = $3 AND NOT EXISTS (SELECT 1 \
                 FROM focus AS other WHERE other.project_id = focus.project_id AND other.session = $1 \
                 AND other.machine = $3)",
                &both,
            )?;
            Ok(())
        })
    }

    /// Assigns a run to a session. Returns false and writes nothing if the run does not belong to `from`.
    pub fn take_run(
        &mut self,
        run: &RunId,
        from: Option<&SessionId>,
        to: &SessionId,
    ) -> Result<bool, StoreError> {
        let before = from.map_or("", |from| from.0.as_str());
        let taken = self.connection.execute(
            "UPDATE run SET session = $1 WHERE id = $2 AND COALESCE(session, '') = $3",
            &[to.0.as_str().into(), run.as_str().into(), before.into()],
        )?;
        Ok(taken > 0)
    }

    /// Records that a run continues in a folder on this machine.
    pub fn place_run(&mut self, run: &RunId, directory: &str) -> Result<(), StoreError> {
        self.connection.write(
            "UPDATE run SET machine = $2, directory = $3 WHERE id = $1",
            &[
                run.as_str().into(),
                self.machine.as_str().into(),
                directory.into(),
            ],
        )
    }

    /// The active runs of a session's main thread, newest first, without the runs of its sub-agents. In a client whose
    /// sub-agents have sessions of their own, a sub-agent is the main thread of its session.
    pub fn main_runs(&mut self, session: &SessionId) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE session = $1 AND machine = $2 AND {OPEN} AND status <> 'paused' \
             AND (parent IS NULL OR NOT EXISTS (SELECT 1 FROM run AS orchestrator WHERE orchestrator.id = run.parent \
             AND orchestrator.session = $1)) AND NOT EXISTS (SELECT 1 FROM subagent WHERE subagent.machine = $2 \
             AND subagent.session = $1 AND subagent.run_id = run.id) ORDER BY changed_at DESC, id"
        );
        let rows = self.connection.query(
            &statement,
            &[session.0.as_str().into(), self.machine.as_str().into()],
        )?;
        rows.iter().map(run_row).collect()
    }

    /// The active runs of a session's sub-agent, newest first.
    pub fn subagent_runs(&mut self, session: &SessionId, agent: &str) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run \
             WHERE id IN (SELECT run_id FROM subagent WHERE machine = $1 AND session = $2 AND agent = $3) \
             AND {OPEN} AND status <> 'paused' ORDER BY changed_at DESC, id"
        );
        let rows = self.connection.query(
            &statement,
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                agent.into(),
            ],
        )?;
        rows.iter().map(run_row).collect()
    }

    /// Binds a sub-agent to a run.
    pub fn bind_subagent(&mut self, session: &SessionId, agent: &str, run: &RunId) -> Result<(), StoreError> {
        self.connection.write(
            "INSERT INTO subagent (machine, session, agent, run_id) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT DO NOTHING",
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                agent.into(),
                run.as_str().into(),
            ],
        )
    }

    /// Records that a sub-agent is about to run a command naming a visit or a sub-agent.
    pub fn note_subagent_call(
        &mut self,
        session: &SessionId,
        agent: &str,
        token: &str,
    ) -> Result<(), StoreError> {
        self.connection.write(
            "INSERT INTO subagent_call (machine, session, token, agent) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (machine, session, token) DO UPDATE SET agent = $4",
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                token.into(),
                agent.into(),
            ],
        )
    }

    /// Deletes the record that [`Self::note_subagent_call`] made.
    pub fn forget_subagent_call(&mut self, session: &SessionId, token: &str) -> Result<(), StoreError> {
        self.connection.write(
            "DELETE FROM subagent_call WHERE machine = $1 AND session = $2 AND token = $3",
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                token.into(),
            ],
        )
    }

    /// The sub-agent that last ran a command naming this visit or sub-agent.
    pub fn subagent_caller(
        &mut self,
        session: &SessionId,
        token: &str,
    ) -> Result<Option<String>, StoreError> {
        let rows = self.connection.query(
            "SELECT agent FROM subagent_call WHERE machine = $1 AND session = $2 AND token = $3",
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                token.into(),
            ],
        )?;
        rows.first().map(|row| Ok(row.text("agent")?.clone())).transpose()
    }

    /// The visits and sub-agents named in a sub-agent's commands.
    pub fn subagent_calls(&mut self, session: &SessionId, agent: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.connection.query(
            "SELECT token FROM subagent_call WHERE machine = $1 AND session = $2 AND agent = $3",
            &[
                self.machine.as_str().into(),
                session.0.as_str().into(),
                agent.into(),
            ],
        )?;
        rows.iter().map(|row| Ok(row.text("token")?.clone())).collect()
    }
}
