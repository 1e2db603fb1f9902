//! Queries runs and appends to their event logs.

use crate::run_rows::{OPEN, RUN_COLUMNS, RunRow, run_row};
use bugle_core::engine::{Origin, Recorded, RunState};
use bugle_core::id::{RunId, SessionId, TaskId, VisitNumber};

use crate::chain::START;
use crate::event_rows::{chain_events, insert_events};
use crate::machine_id::MachineId;
use crate::projects::ProjectId;
use crate::row::Value;
use crate::{Store, StoreError, snapshots};

/// A run with its events.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// The row.
    pub row: RunRow,
    /// The events.
    pub events: Vec<Recorded>,
}

/// A run before it is stored.
#[derive(Debug, Clone)]
pub struct NewRun<'a> {
    /// The run's project.
    pub project: &'a ProjectId,
    /// The run's folder on this machine.
    pub directory: &'a str,
    /// The session that the run belongs to.
    pub session: Option<&'a SessionId>,
    /// The run's state after its first events.
    pub state: &'a RunState,
    /// The run's first events.
    pub events: &'a [Recorded],
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Append {
    /// The events are stored.
    Done,
    /// Another writer was first; nothing was written.
    Conflict,
}

/// A run filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// The project or session.
    pub scope: Scope,
    /// Only open runs.
    pub open_only: bool,
    /// Maximum number of runs.
    pub limit: u32,
}

/// The scope of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    All,
    /// In one project.
    Project(ProjectId),
    /// In one session on this machine.
    Session(SessionId),
    /// In one session on a machine.
    SessionOn(SessionId, MachineId),
}

/// The columns derived from a run's state.
fn projection(state: &RunState) -> [Value; 6] {
    let current = state.current();
    [
        Value::from(state.pin.as_str()),
        Value::from(state.status.as_str()),
        Value::from(current.map(|visit| visit.step.as_str())),
        current.map_or(Value::Null, |visit| Value::Int(i64::from(visit.number.0))),
        Value::Int(i64::try_from(state.version).unwrap_or(i64::MAX)),
        Value::Int(state.changed_at.0),
    ]
}

impl Store {
    /// Stores a new run. Returns a conflict if its id is taken or another process started the same sub-agent.
    pub fn create(&mut self, run: &NewRun<'_>) -> Result<Append, StoreError> {
        let state = run.state;
        let child = match &state.origin {
            Origin::Child(origin) => Some(origin),
            Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
        };
        let task = state.origin.task().map(|task| task.id.as_str());
        let number = |number: Option<u32>| number.map_or(Value::Null, |number| Value::Int(i64::from(number)));
        let (rows, head) = chain_events(&state.id, 0, START, run.events)?;
        let Self { connection, machine } = self;
        connection.transaction(|db| {
            let [pin, status, step, visit, version, changed_at] = projection(state);
            let statement = format!(
                "INSERT INTO run ({RUN_COLUMNS}, attempt, head, task_id) VALUES \
                 ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) \
                 ON CONFLICT DO NOTHING"
            );
            let made = db.execute(
                &statement,
                &[
                    state.id.as_str().into(),
                    run.project.0.as_str().into(),
                    run.directory.into(),
                    run.session.map(|session| session.0.as_str()).into(),
                    state.skill.as_str().into(),
                    pin,
                    status,
                    step,
                    visit,
                    version,
                    state.started_at.0.into(),
                    changed_at,
                    child.map(|child| child.token.parent.run.as_str()).into(),
                    number(child.map(|child| child.token.parent.visit.0)),
                    number(child.map(|child| child.token.slot)),
                    machine.as_str().into(),
                    number(child.map(|child| child.attempt)),
                    head.as_str().into(),
                    task.into(),
                ],
            )?;
            if made == 0 {
                return Ok(Append::Conflict);
            }
            insert_events(db, &rows)?;
            snapshots::keep(db, 0, run.events, state)?;
            Ok(Append::Done)
        })
    }

    /// A run with its events.
    pub fn load(&mut self, run: &RunId) -> Result<Option<StoredRun>, StoreError> {
        // Read the events before the row, so that a concurrent append can make only the row newer. The number of
        // events is the version that a caller's next append expects.
        let events = snapshots::events_after(&mut self.connection, run, 0)?;
        Ok(self.run(run)?.map(|row| StoredRun { row, events }))
    }

    /// A run without its events.
    pub fn run(&mut self, run: &RunId) -> Result<Option<RunRow>, StoreError> {
        let statement = format!("SELECT {RUN_COLUMNS} FROM run WHERE id = $1");
        let rows = self.connection.query(&statement, &[run.as_str().into()])?;
        rows.first().map(run_row).transpose()
    }

    /// Appends events to a run if its version is still `expected`. `state` is the run's state after these events.
    pub fn append(
        &mut self,
        expected: u64,
        events: &[Recorded],
        state: &RunState,
    ) -> Result<Append, StoreError> {
        self.connection.transaction(|db| {
            let [pin, status, step, visit, version, changed_at] = projection(state);
            let lock = db.row_lock();
            let found = db.query(
                &format!("SELECT head FROM run WHERE id = $1 AND version = $2{lock}"),
                &[
                    state.id.as_str().into(),
                    Value::Int(i64::try_from(expected).unwrap_or(i64::MAX)),
                ],
            )?;
            let Some(row) = found.first() else {
                return Ok(Append::Conflict);
            };
            let (rows, head) = chain_events(&state.id, expected, &row.text("head")?, events)?;
            db.write(
                "UPDATE run SET pin = $1, status = $2, step = $3, visit = $4, version = $5, changed_at = $6, head = $7 \
                 WHERE id = $8",
                &[
                    pin,
                    status,
                    step,
                    visit,
                    version,
                    changed_at,
                    head.as_str().into(),
                    state.id.as_str().into(),
                ],
            )?;
            insert_events(db, &rows)?;
            snapshots::keep(db, expected, events, state)?;
            Ok(Append::Done)
        })
    }

    /// The first few runs whose id has this prefix.
    pub fn runs_by_prefix(&mut self, prefix: &str) -> Result<Vec<RunRow>, StoreError> {
        // Ids consist of a-z and 0-9, so every id with this prefix sorts before the prefix followed by `~`.
        let statement =
            format!("SELECT {RUN_COLUMNS} FROM run WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10");
        let rows = self
            .connection
            .query(&statement, &[prefix.into(), format!("{prefix}~").as_str().into()])?;
        rows.iter().map(run_row).collect()
    }

    /// The latest attempt in each slot of a visit's sub-agents.
    pub fn children(&mut self, parent: &RunId, visit: VisitNumber) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run AS child WHERE parent = $1 AND parent_visit = $2 AND attempt = \
             (SELECT MAX(attempt) FROM run WHERE parent = $1 AND parent_visit = $2 AND slot = child.slot) \
             ORDER BY slot"
        );
        let parameters = [parent.as_str().into(), Value::Int(i64::from(visit.0))];
        self.connection
            .query(&statement, &parameters)?
            .iter()
            .map(run_row)
            .collect()
    }

    /// The latest runs that were started for a task, oldest first.
    pub fn runs_of_task(&mut self, task: &TaskId, most: u32) -> Result<Vec<RunRow>, StoreError> {
        let statement =
            format!("SELECT {RUN_COLUMNS} FROM run WHERE task_id = $1 ORDER BY started_at DESC, id LIMIT $2");
        let parameters = [task.as_str().into(), Value::Int(i64::from(most))];
        let rows = self.connection.query(&statement, &parameters)?;
        rows.iter().rev().map(run_row).collect()
    }

    /// The open runs of a run's sub-agents.
    pub fn open_children(&mut self, parent: &RunId) -> Result<Vec<RunRow>, StoreError> {
        let statement =
            format!("SELECT {RUN_COLUMNS} FROM run WHERE parent = $1 AND {OPEN} ORDER BY parent_visit, slot");
        let rows = self.connection.query(&statement, &[parent.as_str().into()])?;
        rows.iter().map(run_row).collect()
    }

    /// The matching runs, most recently changed first, without sub-agent runs.
    pub fn runs(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let (condition, mut parameters) = condition(filter, &self.machine);
        let limit = parameters.len() + 1;
        parameters.push(Value::Int(i64::from(filter.limit)));
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE {condition} ORDER BY changed_at DESC, id LIMIT ${limit}"
        );
        self.connection
            .query(&statement, &parameters)?
            .iter()
            .map(run_row)
            .collect()
    }

    /// The number of other open runs in a project, counted up to `most`.
    pub fn count_other_open_runs(
        &mut self,
        project: &ProjectId,
        run: &RunId,
        most: u32,
    ) -> Result<u32, StoreError> {
        let rows = self.connection.query(
            &format!(
                "SELECT COUNT(*) AS runs FROM (SELECT 1 FROM run WHERE project_id = $1 AND parent IS NULL AND {OPEN} \
                 AND id <> $2 LIMIT $3) AS counted"
            ),
            &[
                project.0.as_str().into(),
                run.as_str().into(),
                Value::Int(i64::from(most)),
            ],
        )?;
        rows.first().map_or(Ok(0), |row| row.count("runs"))
    }

    /// The number of matching runs.
    pub fn count_runs(&mut self, filter: &RunFilter) -> Result<u64, StoreError> {
        let (condition, parameters) = condition(filter, &self.machine);
        let rows = self.connection.query(
            &format!("SELECT COUNT(*) AS runs FROM run WHERE {condition}"),
            &parameters,
        )?;
        rows.first().map_or(Ok(0), |row| row.unsigned("runs"))
    }
}

fn condition(filter: &RunFilter, machine: &MachineId) -> (String, Vec<Value>) {
    let (scope, parameters) = match &filter.scope {
        Scope::All => ("TRUE", Vec::new()),
        Scope::Project(project) => ("project_id = $1", vec![project.0.as_str().into()]),
        Scope::Session(session) => (
            "session = $1 AND machine = $2",
            vec![session.0.as_str().into(), machine.as_str().into()],
        ),
        Scope::SessionOn(session, machine) => (
            "session = $1 AND machine = $2",
            vec![session.0.as_str().into(), machine.as_str().into()],
        ),
    };
    let open = if filter.open_only { OPEN } else { "TRUE" };
    (format!("{scope} AND parent IS NULL AND {open}"), parameters)
}
