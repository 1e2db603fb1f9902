//! Sessions of clients in the store: what their hooks remember, and which sub-agents of theirs do which run's work.

use bugle_core::hook::SessionMemory;
use bugle_core::id::{RunId, SessionId, Timestamp};

use crate::StoreError;
use crate::sql::{Sql, Value, transaction};
use crate::store::{RUN_COLUMNS, RunRow, SqlStore, run_row};

/// A session of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The client's own id of it.
    pub id: SessionId,
    /// Which client.
    pub client: String,
    /// The folder it was last seen in.
    pub directory: String,
    /// Why it ended, if it did.
    pub ended: Option<String>,
    /// What is remembered between two of its hooks.
    pub memory: SessionMemory,
    /// When it was last heard of.
    pub seen_at: Timestamp,
}

/// A run that is not over. In these words, because the index of open runs has them.
const OPEN: &str = "status IN ('active', 'waiting', 'paused')";

/// What Bugle needs of a store for sessions.
pub trait SessionStore {
    /// A session.
    fn session(&mut self, id: &SessionId) -> Result<Option<SessionRow>, StoreError>;
    /// Keeps a session as it is now.
    fn keep_session(&mut self, row: &SessionRow) -> Result<(), StoreError>;
    /// Notes that a hook of a session was called. What is remembered of the session stays as it is.
    fn note_hook(&mut self, id: &SessionId, at: Timestamp) -> Result<(), StoreError>;
    /// The session of this client and folder that ended last, if it ended so.
    fn ended_session(
        &mut self,
        client: &str,
        directory: &str,
        reason: &str,
    ) -> Result<Option<SessionId>, StoreError>;
    /// The open runs of one session become another's, and so does what it works on and the agent that it is.
    fn hand_over(&mut self, from: &SessionId, to: &SessionId) -> Result<(), StoreError>;
    /// A run becomes a session's. False if another one than `from` has it; then nothing was written.
    fn take_run(&mut self, run: &RunId, from: Option<&SessionId>, to: &SessionId)
    -> Result<bool, StoreError>;
    /// The runs that the main thread of a session works on, the latest first: open, not paused, no sub-agent's.
    fn main_runs(&mut self, session: &SessionId) -> Result<Vec<RunRow>, StoreError>;
    /// The runs that a sub-agent of a session works on, the latest first: open and not paused.
    fn subagent_runs(&mut self, session: &SessionId, agent: &str) -> Result<Vec<RunRow>, StoreError>;
    /// Remembers that a sub-agent works on a run.
    fn bind_subagent(&mut self, session: &SessionId, agent: &str, run: &RunId) -> Result<(), StoreError>;
    /// Notes that a sub-agent of a session is about to run a command that names a visit or a sub-agent.
    fn note_subagent_call(&mut self, session: &SessionId, agent: &str, token: &str)
    -> Result<(), StoreError>;
    /// Forgets that a sub-agent of a session ran such a command.
    fn forget_subagent_call(&mut self, session: &SessionId, token: &str) -> Result<(), StoreError>;
    /// The sub-agent of a session that last ran a command that names this visit or sub-agent.
    fn subagent_caller(&mut self, session: &SessionId, token: &str) -> Result<Option<String>, StoreError>;
    /// The visits and sub-agents that a sub-agent's commands named.
    fn subagent_calls(&mut self, session: &SessionId, agent: &str) -> Result<Vec<String>, StoreError>;
}

impl<S: Sql> SessionStore for SqlStore<S> {
    fn session(&mut self, id: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let rows = self.sql.query(
            "SELECT client, directory, ended, memory, seen_at FROM session WHERE id = $1",
            &[id.0.as_str().into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(SessionRow {
            id: id.clone(),
            client: row.text(0)?,
            directory: row.text(1)?,
            ended: row.optional_text(2)?,
            // What an older or newer Bugle remembered is no reason to fail: it is begun anew.
            memory: serde_json::from_str(&row.text(3)?).unwrap_or_default(),
            seen_at: Timestamp(row.int(4)?),
        }))
    }

    fn keep_session(&mut self, row: &SessionRow) -> Result<(), StoreError> {
        let memory =
            serde_json::to_string(&row.memory).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        self.sql
            .execute(
                "INSERT INTO session (id, client, directory, ended, memory, seen_at) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO UPDATE SET client = $2, directory = $3, \
                 ended = $4, memory = $5, seen_at = $6",
                &[
                    row.id.0.as_str().into(),
                    row.client.as_str().into(),
                    row.directory.as_str().into(),
                    row.ended.as_deref().into(),
                    memory.as_str().into(),
                    Value::Int(row.seen_at.0),
                ],
            )
            .map(|_| ())
    }

    fn note_hook(&mut self, id: &SessionId, at: Timestamp) -> Result<(), StoreError> {
        self.sql
            .execute(
                "UPDATE session SET seen_at = $2 WHERE id = $1",
                &[id.0.as_str().into(), Value::Int(at.0)],
            )
            .map(|_| ())
    }

    fn ended_session(
        &mut self,
        client: &str,
        directory: &str,
        reason: &str,
    ) -> Result<Option<SessionId>, StoreError> {
        let rows = self.sql.query(
            "SELECT id, ended FROM session WHERE client = $1 AND directory = $2 AND ended IS NOT NULL \
             ORDER BY seen_at DESC LIMIT 1",
            &[client.into(), directory.into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        let ended_so = row.optional_text(1)?.as_deref() == Some(reason);
        Ok(if ended_so {
            Some(SessionId(row.text(0)?))
        } else {
            None
        })
    }

    fn hand_over(&mut self, from: &SessionId, to: &SessionId) -> Result<(), StoreError> {
        let both: [Value; 2] = [to.0.as_str().into(), from.0.as_str().into()];
        transaction(&mut self.sql, |sql| {
            sql.execute(
                "UPDATE run SET session = $1 WHERE session = $2 AND status IN ('active', 'waiting', 'paused')",
                &both,
            )?;
            sql.execute(
                "UPDATE agent SET session = $1 WHERE session = $2 AND NOT EXISTS \
                 (SELECT 1 FROM agent AS other WHERE other.session = $1)",
                &both,
            )?;
            sql.execute(
                "UPDATE focus SET session = $1 WHERE session = $2 AND NOT EXISTS \
                 (SELECT 1 FROM focus AS other WHERE other.project_id = focus.project_id AND other.session = $1)",
                &both,
            )?;
            Ok(())
        })
    }

    fn take_run(
        &mut self,
        run: &RunId,
        from: Option<&SessionId>,
        to: &SessionId,
    ) -> Result<bool, StoreError> {
        let before = from.map_or("", |from| from.0.as_str());
        let taken = self.sql.execute(
            "UPDATE run SET session = $1 WHERE id = $2 AND COALESCE(session, '') = $3",
            &[to.0.as_str().into(), run.as_str().into(), before.into()],
        )?;
        Ok(taken > 0)
    }

    fn main_runs(&mut self, session: &SessionId) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE session = $1 AND {OPEN} AND status <> 'paused' AND parent IS NULL \
             AND NOT EXISTS (SELECT 1 FROM subagent WHERE subagent.session = $1 AND subagent.run_id = run.id) \
             ORDER BY changed_at DESC, id"
        );
        let rows = self.sql.query(&statement, &[session.0.as_str().into()])?;
        rows.iter().map(run_row).collect()
    }

    fn subagent_runs(&mut self, session: &SessionId, agent: &str) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run \
             WHERE id IN (SELECT run_id FROM subagent WHERE session = $1 AND agent = $2) \
             AND {OPEN} AND status <> 'paused' ORDER BY changed_at DESC, id"
        );
        let rows = self
            .sql
            .query(&statement, &[session.0.as_str().into(), agent.into()])?;
        rows.iter().map(run_row).collect()
    }

    fn bind_subagent(&mut self, session: &SessionId, agent: &str, run: &RunId) -> Result<(), StoreError> {
        self.sql
            .execute(
                "INSERT INTO subagent (session, agent, run_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                &[session.0.as_str().into(), agent.into(), run.as_str().into()],
            )
            .map(|_| ())
    }

    fn note_subagent_call(
        &mut self,
        session: &SessionId,
        agent: &str,
        token: &str,
    ) -> Result<(), StoreError> {
        self.sql
            .execute(
                "INSERT INTO subagent_call (session, token, agent) VALUES ($1, $2, $3) \
                 ON CONFLICT (session, token) DO UPDATE SET agent = $3",
                &[session.0.as_str().into(), token.into(), agent.into()],
            )
            .map(|_| ())
    }

    fn forget_subagent_call(&mut self, session: &SessionId, token: &str) -> Result<(), StoreError> {
        self.sql
            .execute(
                "DELETE FROM subagent_call WHERE session = $1 AND token = $2",
                &[session.0.as_str().into(), token.into()],
            )
            .map(|_| ())
    }

    fn subagent_caller(&mut self, session: &SessionId, token: &str) -> Result<Option<String>, StoreError> {
        let rows = self.sql.query(
            "SELECT agent FROM subagent_call WHERE session = $1 AND token = $2",
            &[session.0.as_str().into(), token.into()],
        )?;
        rows.first().map(|row| Ok(row.text(0)?.clone())).transpose()
    }

    fn subagent_calls(&mut self, session: &SessionId, agent: &str) -> Result<Vec<String>, StoreError> {
        let rows = self.sql.query(
            "SELECT token FROM subagent_call WHERE session = $1 AND agent = $2",
            &[session.0.as_str().into(), agent.into()],
        )?;
        rows.iter().map(|row| Ok(row.text(0)?.clone())).collect()
    }
}
