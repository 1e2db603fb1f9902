//! The store in domain words, and its one text of SQL.

use bugle_core::engine::{Origin, Recorded, RunState, Status};
use bugle_core::id::{Actor, ChildToken, ContentHash, RunId, SessionId, Timestamp, VisitNumber, VisitToken};

use crate::StoreError;
use crate::chain::{START, compiled_hash};
use crate::chaining::link_trust;
use crate::event_rows::{chained, insert_events};
use crate::snapshots;
use crate::sql::{Row, Sql, Value, transaction};

/// The id of a project.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectId(pub String);

/// What is known of a run without reading its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// The project it belongs to.
    pub project: ProjectId,
    /// The folder it was started in.
    pub directory: String,
    /// The client's session that started it.
    pub session: Option<SessionId>,
    /// The skill.
    pub skill: String,
    /// The exact bytes of the skill.
    pub pin: ContentHash,
    /// Whether it goes on.
    pub status: Status,
    /// The step that is open.
    pub step: Option<String>,
    /// The visit that is open.
    pub visit: Option<VisitNumber>,
    /// How many events there are.
    pub version: u64,
    /// When it began.
    pub started_at: Timestamp,
    /// When it last changed.
    pub changed_at: Timestamp,
    /// The place of the sub-agent whose work it is, if it is one's.
    pub child: Option<ChildToken>,
}

/// A run and everything that happened to it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    /// What is known without reading events.
    pub row: RunRow,
    /// What happened.
    pub events: Vec<Recorded>,
}

/// A run that is to be kept.
#[derive(Debug, Clone)]
pub struct NewRun<'a> {
    /// The project it belongs to.
    pub project: &'a ProjectId,
    /// The folder it is started in.
    pub directory: &'a str,
    /// The client's session that starts it.
    pub session: Option<&'a SessionId>,
    /// Its state after its first events.
    pub state: &'a RunState,
    /// Its first events.
    pub events: &'a [Recorded],
}

/// How an append ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Append {
    /// It lasts.
    Done,
    /// Somebody else changed the run first; nothing was written.
    Conflict,
}

/// Which runs are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Of which project or session.
    pub scope: Scope,
    /// Only those that can still go on.
    pub open_only: bool,
    /// How many at most.
    pub limit: u32,
}

/// Where runs are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    All,
    /// In one project.
    Project(ProjectId),
    /// In one session of a client.
    Session(SessionId),
}

/// What Bugle needs of a store.
pub trait Store {
    /// The project at a place, made with this id if it is new.
    fn project(&mut self, place: &str, id: &str, now: Timestamp) -> Result<ProjectId, StoreError>;
    /// The project at a place, if there is one.
    fn find_project(&mut self, place: &str) -> Result<Option<ProjectId>, StoreError>;
    /// Keeps the exact bytes of a skill, each file by its hash.
    fn keep_blobs(&mut self, blobs: &[(ContentHash, Vec<u8>)]) -> Result<(), StoreError>;
    /// Bytes by their hash.
    fn blob(&mut self, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError>;
    /// The hashes of all blobs.
    fn blobs(&mut self) -> Result<Vec<ContentHash>, StoreError>;
    /// Keeps what a compiler made of a pinned skill.
    fn keep_compiled(&mut self, pin: &ContentHash, compiler: i64, body: &str) -> Result<(), StoreError>;
    /// What a compiler made of a pinned skill.
    fn compiled(&mut self, pin: &ContentHash, compiler: i64) -> Result<Option<String>, StoreError>;
    /// Keeps a new run; a conflict means that its id is taken, or that somebody else started the same sub-agent.
    fn create(&mut self, run: &NewRun<'_>) -> Result<Append, StoreError>;
    /// A run with its events.
    fn load(&mut self, run: &RunId) -> Result<Option<StoredRun>, StoreError>;
    /// Adds events to a run that is still at `expected`; `state` is what they lead to.
    fn append(&mut self, expected: u64, events: &[Recorded], state: &RunState) -> Result<Append, StoreError>;
    /// The runs whose id begins so, a few at most.
    fn runs_by_prefix(&mut self, prefix: &str) -> Result<Vec<RunRow>, StoreError>;
    /// The runs of a visit's sub-agents, the latest attempt of each, by slot.
    fn children(&mut self, parent: &RunId, visit: VisitNumber) -> Result<Vec<RunRow>, StoreError>;
    /// The runs of a run's sub-agents that are open.
    fn open_children(&mut self, parent: &RunId) -> Result<Vec<RunRow>, StoreError>;
    /// Runs, the latest change first; those of sub-agents belong to the run that called for them.
    fn runs(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError>;
    /// How many runs there are.
    fn count_runs(&mut self, filter: &RunFilter) -> Result<u64, StoreError>;
    /// Remembers that the commands of a pinned skill may be run.
    fn trust(&mut self, pin: &ContentHash, skill: &str, by: &Actor, now: Timestamp)
    -> Result<(), StoreError>;
    /// Whether a pinned skill is trusted.
    fn is_trusted(&mut self, pin: &ContentHash) -> Result<bool, StoreError>;
    /// The version of the schema.
    fn schema(&mut self) -> Result<i64, StoreError>;
    /// What the engine itself finds wrong with the file.
    fn integrity(&mut self) -> Result<Vec<String>, StoreError>;
}

/// A store on a database engine.
#[derive(Debug)]
pub struct SqlStore<S> {
    pub(crate) sql: S,
}

impl<S> SqlStore<S> {
    pub(crate) fn new(sql: S) -> Self {
        Self { sql }
    }
}

pub(crate) const RUN_COLUMNS: &str = "id, project_id, directory, session, skill, pin, status, step, visit, version, started_at, \
    changed_at, parent, parent_visit, slot";

pub(crate) fn run_row(row: &Row) -> Result<RunRow, StoreError> {
    let unreadable = |what: &str| StoreError::Unreadable(format!("a run has a bad {what}"));
    let number = |column: usize, what: &str| u32::try_from(row.int(column)?).map_err(|_| unreadable(what));
    let visit = match row.0.get(8) {
        Some(Value::Null) => None,
        _ => Some(VisitNumber(number(8, "visit")?)),
    };
    let child = match row.optional_text(12)? {
        None => None,
        Some(parent) => Some(ChildToken {
            parent: VisitToken {
                run: RunId::parse(&parent).map_err(|_| unreadable("parent"))?,
                visit: VisitNumber(number(13, "parent")?),
            },
            slot: number(14, "slot")?,
        }),
    };
    Ok(RunRow {
        id: RunId::parse(&row.text(0)?).map_err(|_| unreadable("id"))?,
        project: ProjectId(row.text(1)?),
        directory: row.text(2)?,
        session: row.optional_text(3)?.map(SessionId),
        skill: row.text(4)?,
        pin: ContentHash::from_stored(row.text(5)?),
        status: row.text(6)?.parse().map_err(|()| unreadable("status"))?,
        step: row.optional_text(7)?,
        visit,
        version: u64::try_from(row.int(9)?).map_err(|_| unreadable("version"))?,
        started_at: Timestamp(row.int(10)?),
        changed_at: Timestamp(row.int(11)?),
        child,
    })
}

/// What a run's row says, read off its state.
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

impl<S: Sql> Store for SqlStore<S> {
    fn project(&mut self, place: &str, id: &str, now: Timestamp) -> Result<ProjectId, StoreError> {
        if let Some(found) = self.find_project(place)? {
            return Ok(found);
        }
        transaction(&mut self.sql, |sql| {
            sql.execute(
                "INSERT INTO project (id, place, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                &[id.into(), place.into(), now.0.into()],
            )
        })?;
        self.find_project(place)?
            .ok_or_else(|| StoreError::Unreadable("a project's id is taken".to_owned()))
    }

    fn find_project(&mut self, place: &str) -> Result<Option<ProjectId>, StoreError> {
        let rows = self
            .sql
            .query("SELECT id FROM project WHERE place = $1", &[place.into()])?;
        rows.first().map(|row| row.text(0).map(ProjectId)).transpose()
    }

    fn keep_blobs(&mut self, blobs: &[(ContentHash, Vec<u8>)]) -> Result<(), StoreError> {
        transaction(&mut self.sql, |sql| {
            for (hash, bytes) in blobs {
                sql.execute(
                    "INSERT INTO blob (hash, content) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                    &[hash.as_str().into(), Value::Blob(bytes.clone())],
                )?;
            }
            Ok(())
        })
    }

    fn blob(&mut self, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.sql.query(
            "SELECT content FROM blob WHERE hash = $1",
            &[hash.as_str().into()],
        )?;
        rows.first().map(|row| row.bytes(0)).transpose()
    }

    fn blobs(&mut self) -> Result<Vec<ContentHash>, StoreError> {
        let rows = self.sql.query("SELECT hash FROM blob ORDER BY hash", &[])?;
        rows.iter()
            .map(|row| row.text(0).map(ContentHash::from_stored))
            .collect()
    }

    fn keep_compiled(&mut self, pin: &ContentHash, compiler: i64, body: &str) -> Result<(), StoreError> {
        self.sql
            .execute(
                "INSERT INTO compiled (pin, compiler, body, hash) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                &[
                    pin.as_str().into(),
                    compiler.into(),
                    body.into(),
                    compiled_hash(pin.as_str(), compiler, body).as_str().into(),
                ],
            )
            .map(|_| ())
    }

    fn compiled(&mut self, pin: &ContentHash, compiler: i64) -> Result<Option<String>, StoreError> {
        let statement = "SELECT body, hash FROM compiled WHERE pin = $1 AND compiler = $2";
        let rows = self
            .sql
            .query(statement, &[pin.as_str().into(), compiler.into()])?;
        let Some(row) = rows.first() else { return Ok(None) };
        let body = row.text(0)?;
        if compiled_hash(pin.as_str(), compiler, &body) != row.text(1)? {
            return Err(StoreError::Edited(format!(
                "the compiled form of the pinned skill {}",
                pin.short()
            )));
        }
        Ok(Some(body))
    }

    fn create(&mut self, run: &NewRun<'_>) -> Result<Append, StoreError> {
        let state = run.state;
        let [pin, status, step, visit, version, changed_at] = projection(state);
        let child = match &state.origin {
            Origin::Child(origin) => Some(origin),
            Origin::Fresh | Origin::Fork { .. } => None,
        };
        let number = |number: Option<u32>| number.map_or(Value::Null, |number| Value::Int(i64::from(number)));
        let (rows, head) = chained(&state.id, (0, START), run.events)?;
        transaction(&mut self.sql, |sql| {
            let statement = format!(
                "INSERT INTO run ({RUN_COLUMNS}, attempt, head) VALUES \
                 ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING"
            );
            let made = sql.execute(
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
                    number(child.map(|child| child.attempt)),
                    head.as_str().into(),
                ],
            )?;
            if made == 0 {
                return Ok(Append::Conflict);
            }
            insert_events(sql, &rows)?;
            snapshots::keep(sql, 0, run.events, state)?;
            Ok(Append::Done)
        })
    }

    fn load(&mut self, run: &RunId) -> Result<Option<StoredRun>, StoreError> {
        // The events are read first: whatever is added meanwhile only makes the row newer than they are, and the
        // version that an append expects is counted from the events.
        let events = snapshots::events_after(&mut self.sql, run, 0)?;
        let rows = self.sql.query(
            &format!("SELECT {RUN_COLUMNS} FROM run WHERE id = $1"),
            &[run.as_str().into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(StoredRun {
            row: run_row(row)?,
            events,
        }))
    }

    fn append(&mut self, expected: u64, events: &[Recorded], state: &RunState) -> Result<Append, StoreError> {
        let [pin, status, step, visit, version, changed_at] = projection(state);
        transaction(&mut self.sql, |sql| {
            let found = sql.query(
                "SELECT head FROM run WHERE id = $1 AND version = $2",
                &[
                    state.id.as_str().into(),
                    Value::Int(i64::try_from(expected).unwrap_or(i64::MAX)),
                ],
            )?;
            let Some(row) = found.first() else {
                return Ok(Append::Conflict);
            };
            let (rows, head) = chained(&state.id, (expected, &row.text(0)?), events)?;
            sql.execute(
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
            insert_events(sql, &rows)?;
            snapshots::keep(sql, expected, events, state)?;
            Ok(Append::Done)
        })
    }

    fn runs_by_prefix(&mut self, prefix: &str) -> Result<Vec<RunRow>, StoreError> {
        // The ids are a-z and 0-9 throughout, so everything with this beginning lies before it with a `~`.
        let statement =
            format!("SELECT {RUN_COLUMNS} FROM run WHERE id >= $1 AND id < $2 ORDER BY id LIMIT 10");
        let rows = self
            .sql
            .query(&statement, &[prefix.into(), format!("{prefix}~").as_str().into()])?;
        rows.iter().map(run_row).collect()
    }

    fn children(&mut self, parent: &RunId, visit: VisitNumber) -> Result<Vec<RunRow>, StoreError> {
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run AS child WHERE parent = $1 AND parent_visit = $2 AND attempt = \
             (SELECT MAX(attempt) FROM run WHERE parent = $1 AND parent_visit = $2 AND slot = child.slot) \
             ORDER BY slot"
        );
        let parameters = [parent.as_str().into(), Value::Int(i64::from(visit.0))];
        self.sql
            .query(&statement, &parameters)?
            .iter()
            .map(run_row)
            .collect()
    }

    fn open_children(&mut self, parent: &RunId) -> Result<Vec<RunRow>, StoreError> {
        let statement =
            format!("SELECT {RUN_COLUMNS} FROM run WHERE parent = $1 AND {OPEN} ORDER BY parent_visit, slot");
        let rows = self.sql.query(&statement, &[parent.as_str().into()])?;
        rows.iter().map(run_row).collect()
    }

    fn runs(&mut self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let (condition, mut parameters) = condition(filter);
        let limit = parameters.len() + 1;
        parameters.push(Value::Int(i64::from(filter.limit)));
        let statement = format!(
            "SELECT {RUN_COLUMNS} FROM run WHERE {condition} ORDER BY changed_at DESC, id LIMIT ${limit}"
        );
        self.sql
            .query(&statement, &parameters)?
            .iter()
            .map(run_row)
            .collect()
    }

    fn count_runs(&mut self, filter: &RunFilter) -> Result<u64, StoreError> {
        let (condition, parameters) = condition(filter);
        let rows = self.sql.query(
            &format!("SELECT COUNT(*) FROM run WHERE {condition}"),
            &parameters,
        )?;
        let count = rows.first().map_or(Ok(0), |row| row.int(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    fn trust(
        &mut self,
        pin: &ContentHash,
        skill: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if self.is_trusted(pin)? {
            return Ok(());
        }
        let by = serde_json::to_string(by).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        transaction(&mut self.sql, |sql| {
            let made = sql.execute(
                "INSERT INTO trust (pin, skill, given_by, given_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                &[pin.as_str().into(), skill.into(), by.as_str().into(), now.0.into()],
            )?;
            if made > 0 {
                link_trust(sql, pin.as_str(), skill, (now.0, &by), true)?;
            }
            Ok(())
        })
    }

    fn is_trusted(&mut self, pin: &ContentHash) -> Result<bool, StoreError> {
        let rows = self
            .sql
            .query("SELECT 1 FROM trust WHERE pin = $1", &[pin.as_str().into()])?;
        Ok(!rows.is_empty())
    }

    fn schema(&mut self) -> Result<i64, StoreError> {
        self.sql.schema_version()
    }

    fn integrity(&mut self) -> Result<Vec<String>, StoreError> {
        self.sql.integrity()
    }
}

/// The condition for a run that can still go on.
const OPEN: &str = "status IN ('active', 'waiting', 'paused')";

fn condition(filter: &RunFilter) -> (String, Vec<Value>) {
    let (scope, parameters) = match &filter.scope {
        Scope::All => ("TRUE", Vec::new()),
        Scope::Project(project) => ("project_id = $1", vec![project.0.as_str().into()]),
        Scope::Session(session) => ("session = $1", vec![session.0.as_str().into()]),
    };
    let open = if filter.open_only { OPEN } else { "TRUE" };
    (format!("{scope} AND parent IS NULL AND {open}"), parameters)
}
