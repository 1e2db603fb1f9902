//! Prompts on their way to agents' clients: how far each has come, and how an agent's client is started.
//!
//! An agent has one prompt on its way at most. Its state is changed inside [`crate::TaskStore::together`], with whatever
//! it stands for: what a prompt tells counts as read from the moment it is kept here, and no process starts twice for it.

use bugle_core::agent::HandOver;
use bugle_core::id::{Timestamp, WakeupId};
use bugle_core::message::AgentAddress;

use crate::StoreError;
use crate::sql::{Row, Sql, Value, transaction};
use crate::store::{ProjectId, SqlStore};

/// The last prompt of an agent, and how its client is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchRow {
    /// The project whose agent it is.
    pub project: ProjectId,
    /// The agent.
    pub agent: AgentAddress,
    /// The model that was asked for.
    pub model: Option<String>,
    /// More words for the client.
    pub arguments: Vec<String>,
    /// The wake-up whose text is the prompt; none before there was one.
    pub wakeup: Option<WakeupId>,
    /// How far it has come.
    pub state: HandOver,
    /// Whether the client is to begin a new session with it.
    pub is_new_session: bool,
    /// What of the agent's mailbox it tells: all behind the first place, up to the second.
    pub told: Option<(u64, u64)>,
    /// When its state last changed.
    pub changed_at: Timestamp,
}

/// What Bugle needs of a store to hand prompts over.
pub trait LaunchStore {
    /// The last prompt of an agent.
    fn launch(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<Option<LaunchRow>, StoreError>;
    /// Keeps it as it is now.
    fn keep_launch(&mut self, launch: &LaunchRow) -> Result<(), StoreError>;
    /// Those that something is still to be done about.
    fn open_launches(&mut self) -> Result<Vec<LaunchRow>, StoreError>;
    /// What a prompt told is unread again, unless the agent has read more since. Says how many messages it was given so
    /// far: what comes later is new.
    fn give_back(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        told: (u64, u64),
    ) -> Result<u64, StoreError>;
    /// A number that is another one after somebody else has written.
    fn changes(&mut self) -> Result<i64, StoreError>;
}

const COLUMNS: &str = "project_id, agent, model, arguments, wakeup_id, state, is_new_session, told_after, told_up_to, \
     changed_at";

fn bad(what: &str) -> StoreError {
    StoreError::Unreadable(format!("a launch has a bad {what}"))
}

fn place(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(row.int(column)?).map_err(|_| bad("place"))
}

fn number(place: u64) -> Value {
    Value::Int(i64::try_from(place).unwrap_or(i64::MAX))
}

fn launch_row(row: &Row) -> Result<LaunchRow, StoreError> {
    let told = (place(row, 7)?, place(row, 8)?);
    Ok(LaunchRow {
        project: ProjectId(row.text(0)?),
        agent: row.text(1)?.parse().map_err(|_| bad("agent"))?,
        model: row.optional_text(2)?,
        arguments: serde_json::from_str(&row.text(3)?).map_err(|_| bad("argument"))?,
        wakeup: row
            .optional_text(4)?
            .map(|id| WakeupId::parse(&id).map_err(|_| bad("wake-up")))
            .transpose()?,
        state: row.text(5)?.parse().map_err(|()| bad("state"))?,
        is_new_session: row.int(6)? != 0,
        told: (told.1 > 0).then_some(told),
        changed_at: Timestamp(row.int(9)?),
    })
}

impl<S: Sql> LaunchStore for SqlStore<S> {
    fn launch(&mut self, project: &ProjectId, agent: &AgentAddress) -> Result<Option<LaunchRow>, StoreError> {
        let statement = format!("SELECT {COLUMNS} FROM launch WHERE project_id = $1 AND agent = $2");
        let parameters = [project.0.as_str().into(), agent.to_string().as_str().into()];
        let rows = self.sql.query(&statement, &parameters)?;
        rows.first().map(launch_row).transpose()
    }

    fn keep_launch(&mut self, launch: &LaunchRow) -> Result<(), StoreError> {
        let arguments = serde_json::to_string(&launch.arguments)
            .map_err(|error| StoreError::Unreadable(error.to_string()))?;
        let told = launch.told.unwrap_or_default();
        let statement = format!(
            "INSERT INTO launch ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             ON CONFLICT (project_id, agent) DO UPDATE SET model = $3, arguments = $4, wakeup_id = $5, state = $6, \
             is_new_session = $7, told_after = $8, told_up_to = $9, changed_at = $10"
        );
        self.sql
            .execute(
                &statement,
                &[
                    launch.project.0.as_str().into(),
                    launch.agent.to_string().as_str().into(),
                    launch.model.as_deref().into(),
                    arguments.as_str().into(),
                    launch.wakeup.as_ref().map(WakeupId::as_str).into(),
                    launch.state.as_str().into(),
                    Value::Int(i64::from(launch.is_new_session)),
                    number(told.0),
                    number(told.1),
                    launch.changed_at.0.into(),
                ],
            )
            .map(|_| ())
    }

    fn open_launches(&mut self) -> Result<Vec<LaunchRow>, StoreError> {
        let statement = format!(
            "SELECT {COLUMNS} FROM launch WHERE state IN ('taken', 'carried', 'confirmed', 'exited') \
             ORDER BY project_id, agent"
        );
        self.sql.query(&statement, &[])?.iter().map(launch_row).collect()
    }

    fn give_back(
        &mut self,
        project: &ProjectId,
        agent: &AgentAddress,
        (after, up_to): (u64, u64),
    ) -> Result<u64, StoreError> {
        transaction(&mut self.sql, |sql| {
            let agent = agent.to_string();
            let parameters = [
                project.0.as_str().into(),
                agent.as_str().into(),
                number(after),
                number(up_to),
            ];
            let given = sql.execute(
                "UPDATE mailbox SET taken = $3 WHERE project_id = $1 AND agent = $2 AND taken = $4",
                &parameters,
            )?;
            if given > 0 {
                sql.execute(
                    "UPDATE delivery SET taken_at = NULL WHERE project_id = $1 AND agent = $2 AND seq > $3 AND seq <= $4",
                    &parameters,
                )?;
            }
            let rows = sql.query(
                "SELECT delivered FROM mailbox WHERE project_id = $1 AND agent = $2",
                &parameters[..2],
            )?;
            rows.first().map_or(Ok(0), |row| place(row, 0))
        })
    }

    fn changes(&mut self) -> Result<i64, StoreError> {
        self.sql.changes()
    }
}
