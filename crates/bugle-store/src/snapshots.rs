//! Snapshots: the condensed state of a long run, so that reading it costs no more than reading a short one.
//!
//! A snapshot is a cache. The events decide: one that cannot be read, was edited or belongs to another version of the fold
//! is passed over, and `store verify` compares each with what the events say.

use bugle_core::engine::{Event, Recorded, RunState, Status};
use bugle_core::id::{RunId, Timestamp};

use crate::StoreError;
use crate::chain::Link;
use crate::sql::{Row, Sql, Value};
use crate::store::{RUN_COLUMNS, RunRow, SqlStore, run_row};

/// How many events lead from one snapshot to the next.
pub(crate) const EVERY: u64 = 64;

/// The version of the fold: raise it when a change to `RunState` gives the same events another state.
const FOLD: i64 = 1;

pub(crate) const SCHEMA: &str = "
CREATE TABLE snapshot (
  run_id TEXT PRIMARY KEY REFERENCES run (id),
  version BIGINT NOT NULL,
  fold BIGINT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL
);
";

/// A run as its latest snapshot and the events after it say.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldedRun {
    /// What is known without reading events.
    pub row: RunRow,
    /// Its state; that of a long run is condensed.
    pub state: RunState,
}

/// What is kept of a run besides its events.
#[derive(Debug, Clone, PartialEq)]
pub enum Snapshot {
    /// Nothing, or nothing that this version of the program can use.
    None,
    /// Something that does not fit its hash or cannot be read.
    Unusable,
    /// Its condensed state at some version.
    Of(Box<RunState>),
}

fn hash(run: &RunId, version: i64, body: &str) -> String {
    Link::after("", "snapshot")
        .text(run.as_str())
        .number(version)
        .text(body)
        .end()
}

/// Writes a snapshot if events that were just added call for one: every so many events, when a run went back, and not for
/// a run that is over.
pub(crate) fn keep<S: Sql>(
    sql: &mut S,
    before: u64,
    events: &[Recorded],
    state: &RunState,
) -> Result<(), StoreError> {
    let went_back = events
        .iter()
        .any(|recorded| matches!(recorded.event, Event::Rewound { .. }));
    let is_due = state.version / EVERY > before / EVERY || (went_back && state.version >= EVERY);
    let is_over = matches!(state.status, Status::Completed | Status::Cancelled);
    if !is_due || (is_over && !went_back) {
        return Ok(());
    }
    let body = serde_json::to_string(&state.condensed())
        .map_err(|error| StoreError::Unreadable(error.to_string()))?;
    let version = i64::try_from(state.version).unwrap_or(i64::MAX);
    sql.execute(
        "INSERT INTO snapshot (run_id, version, fold, body, hash) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (run_id) DO UPDATE SET version = $2, fold = $3, body = $4, hash = $5",
        &[
            state.id.as_str().into(),
            version.into(),
            FOLD.into(),
            body.as_str().into(),
            hash(&state.id, version, &body).as_str().into(),
        ],
    )
    .map(|_| ())
}

/// What Bugle needs of a store to read long runs.
pub trait SnapshotStore {
    /// A run, from its latest snapshot and the events after it.
    fn folded(&mut self, run: &RunId) -> Result<Option<FoldedRun>, StoreError>;
    /// The last events that led to a state, at most so many.
    fn last_events(&mut self, state: &RunState, most: u64) -> Result<Vec<Recorded>, StoreError>;
    /// The snapshot of a run.
    fn snapshot(&mut self, run: &RunId) -> Result<Snapshot, StoreError>;
}

impl<S: Sql> SnapshotStore for SqlStore<S> {
    fn folded(&mut self, run: &RunId) -> Result<Option<FoldedRun>, StoreError> {
        let snapshot = match self.snapshot(run)? {
            Snapshot::Of(state) => Some(*state),
            Snapshot::None | Snapshot::Unusable => None,
        };
        let after = snapshot.as_ref().map_or(0, |state| state.version);
        // The events are read before the row: events that are added meanwhile only make the row newer than the state.
        let events = events_after(&mut self.sql, run, after)?;
        let rows = self.sql.query(
            &format!("SELECT {RUN_COLUMNS} FROM run WHERE id = $1"),
            &[run.as_str().into()],
        )?;
        let Some(row) = rows.first() else { return Ok(None) };
        let row = run_row(row)?;
        let continued = snapshot.and_then(|mut state| {
            let applied = events.iter().try_for_each(|event| state.apply(event));
            applied.is_ok().then_some(state)
        });
        let state = match continued {
            Some(state) => state,
            None if after == 0 => RunState::replay(run, &events)?,
            None => RunState::replay(run, &events_after(&mut self.sql, run, 0)?)?,
        };
        Ok(Some(FoldedRun { row, state }))
    }

    fn last_events(&mut self, state: &RunState, most: u64) -> Result<Vec<Recorded>, StoreError> {
        let mut events = events_after(&mut self.sql, &state.id, state.version.saturating_sub(most))?;
        // Others may have added events since the state was read.
        events.truncate(usize::try_from(state.version.min(most)).unwrap_or(usize::MAX));
        Ok(events)
    }

    fn snapshot(&mut self, run: &RunId) -> Result<Snapshot, StoreError> {
        let rows = self.sql.query(
            "SELECT version, body, hash FROM snapshot WHERE run_id = $1 AND fold = $2",
            &[run.as_str().into(), FOLD.into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Snapshot::None);
        };
        let (version, body) = (row.int(0)?, row.text(1)?);
        if row.text(2)? != hash(run, version, &body) {
            return Ok(Snapshot::Unusable);
        }
        let state = serde_json::from_str::<RunState>(&body).ok();
        let state = state.filter(|state| state.id == *run && i64::try_from(state.version) == Ok(version));
        Ok(state.map_or(Snapshot::Unusable, |state| Snapshot::Of(Box::new(state))))
    }
}

/// The events of a run with a number above this one.
pub(crate) fn events_after<S: Sql>(sql: &mut S, run: &RunId, seq: u64) -> Result<Vec<Recorded>, StoreError> {
    let rows = sql.query(
        "SELECT happened_at, actor, body FROM event WHERE run_id = $1 AND seq > $2 ORDER BY seq",
        &[
            run.as_str().into(),
            Value::Int(i64::try_from(seq).unwrap_or(i64::MAX)),
        ],
    )?;
    let unreadable =
        |error: serde_json::Error| StoreError::Unreadable(format!("an event of run {run}: {error}"));
    let event = |row: &Row| {
        Ok(Recorded {
            at: Timestamp(row.int(0)?),
            by: serde_json::from_str(&row.text(1)?).map_err(unreadable)?,
            event: serde_json::from_str(&row.text(2)?).map_err(unreadable)?,
        })
    };
    rows.iter().map(event).collect()
}
