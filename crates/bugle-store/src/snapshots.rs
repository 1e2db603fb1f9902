//! A snapshot stores a run's state at one version, so that a long run loads as fast as a short one.
//!
//! A snapshot is a cache: it is ignored if it is unreadable, was edited or has another fold version. `store verify`
//! compares every snapshot with the events.

use bugle_core::engine::{Event, Recorded, RunState};
use bugle_core::id::{RunId, Timestamp};

use crate::Store;
use crate::StoreError;
use crate::chain::Link;
use crate::connection::Connection;
use crate::row::{Row, Value};

/// The number of events between two snapshots.
pub(crate) const SNAPSHOT_INTERVAL: u64 = 64;

/// The fold version. Increase it when the same events produce a different `RunState`.
const FOLD_VERSION: i64 = 2;

/// A run's snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum Snapshot {
    /// There is no snapshot, or this version of Bugle cannot use it.
    None,
    /// The snapshot does not match its hash or is unreadable.
    Unusable,
    /// The run's state at one version.
    Of(Box<RunState>),
}

fn hash(run: &RunId, version: i64, body: &str) -> String {
    Link::after("", "snapshot")
        .text(run.as_str())
        .number(version)
        .text(body)
        .end()
}

/// Writes a snapshot if the new events require one: after a fixed number of events and after a rewind, but not for a
/// finished run.
pub(crate) fn keep(
    db: &mut Connection,
    before: u64,
    events: &[Recorded],
    state: &RunState,
) -> Result<(), StoreError> {
    let went_back = events
        .iter()
        .any(|recorded| matches!(recorded.event, Event::Rewound { .. }));
    let is_due = state.version / SNAPSHOT_INTERVAL > before / SNAPSHOT_INTERVAL
        || (went_back && state.version >= SNAPSHOT_INTERVAL);
    if !is_due || (!state.status.is_open() && !went_back) {
        return Ok(());
    }
    let body = serde_json::to_string(&state.condensed())
        .map_err(|error| StoreError::Unreadable(error.to_string()))?;
    let version = i64::try_from(state.version).unwrap_or(i64::MAX);
    db.write(
        "INSERT INTO snapshot (run_id, version, fold, body, hash) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (run_id) DO UPDATE SET version = $2, fold = $3, body = $4, hash = $5",
        &[
            state.id.as_str().into(),
            version.into(),
            FOLD_VERSION.into(),
            body.as_str().into(),
            hash(&state.id, version, &body).as_str().into(),
        ],
    )
}

impl Store {
    /// A run's state, from its latest snapshot and the events after it.
    pub fn run_state(&mut self, run: &RunId) -> Result<Option<RunState>, StoreError> {
        Ok(self.run_state_and_events(run)?.map(|(state, _)| state))
    }

    /// A run's state and the events after its latest snapshot.
    pub fn run_state_and_events(
        &mut self,
        run: &RunId,
    ) -> Result<Option<(RunState, Vec<Recorded>)>, StoreError> {
        let (snapshot, events) = match self.snapshot(run)? {
            Snapshot::Of(state) => {
                let events = self.events_after_snapshot(run, state.version)?;
                (Some(*state), events)
            }
            Snapshot::None => (None, self.events_after_snapshot(run, 0)?),
            Snapshot::Unusable => (None, self.run_events(run)?),
        };
        let after = snapshot.as_ref().map_or(0, |state| state.version);
        if snapshot.is_none() && events.is_empty() {
            return Ok(None);
        }
        let continued = snapshot.and_then(|mut state| {
            let applied = events.iter().try_for_each(|event| state.apply(event));
            applied.is_ok().then_some(state)
        });
        Ok(Some(match continued {
            Some(state) => (state, events),
            None if after == 0 => (RunState::replay(run, &events)?, events),
            None => {
                let events = events_after(&mut self.connection, run, 0)?;
                (RunState::replay(run, &events)?, events)
            }
        }))
    }

    /// The events after a run's snapshot; `after` is the number of the snapshot's last event. The query does not use
    /// `after`, so that a plan can send the query before the snapshot is read.
    fn events_after_snapshot(&mut self, run: &RunId, after: u64) -> Result<Vec<Recorded>, StoreError> {
        let rows = self.connection.query(
            "SELECT seq, happened_at, actor, body FROM event WHERE run_id = $1 AND seq >= \
             COALESCE((SELECT version FROM snapshot WHERE run_id = $1 AND fold = $2), 1) ORDER BY seq",
            &[run.as_str().into(), FOLD_VERSION.into()],
        )?;
        // The first row must be the snapshot's last event. Otherwise another process has just written a later
        // snapshot.
        let first = rows.first().and_then(|row| row.unsigned("seq").ok());
        if first != Some(after.max(1)) {
            return events_after(&mut self.connection, run, after);
        }
        recorded(run, &rows[usize::from(after > 0)..])
    }

    /// All events of a run, in order.
    pub fn run_events(&mut self, run: &RunId) -> Result<Vec<Recorded>, StoreError> {
        events_after(&mut self.connection, run, 0)
    }

    /// The run's events with numbers above `after`, up to and including `up_to`.
    pub fn events_between(
        &mut self,
        run: &RunId,
        after: u64,
        up_to: u64,
    ) -> Result<Vec<Recorded>, StoreError> {
        let rows = self.connection.query(
            "SELECT happened_at, actor, body FROM event WHERE run_id = $1 AND seq > $2 AND seq <= $3 ORDER BY seq",
            &[run.as_str().into(), number(after), number(up_to)],
        )?;
        recorded(run, &rows)
    }

    /// A run's snapshot.
    pub fn snapshot(&mut self, run: &RunId) -> Result<Snapshot, StoreError> {
        let rows = self.connection.query(
            "SELECT version, body, hash FROM snapshot WHERE run_id = $1 AND fold = $2",
            &[run.as_str().into(), FOLD_VERSION.into()],
        )?;
        let Some(row) = rows.first() else {
            return Ok(Snapshot::None);
        };
        let (version, body) = (row.int("version")?, row.text("body")?);
        if row.text("hash")? != hash(run, version, &body) {
            return Ok(Snapshot::Unusable);
        }
        let state = serde_json::from_str::<RunState>(&body).ok();
        let state = state.filter(|state| state.id == *run && i64::try_from(state.version) == Ok(version));
        Ok(state.map_or(Snapshot::Unusable, |state| Snapshot::Of(Box::new(state))))
    }
}

/// The run's events with numbers above `seq`.
pub(crate) fn events_after(db: &mut Connection, run: &RunId, seq: u64) -> Result<Vec<Recorded>, StoreError> {
    let rows = db.query(
        "SELECT happened_at, actor, body FROM event WHERE run_id = $1 AND seq > $2 ORDER BY seq",
        &[run.as_str().into(), number(seq)],
    )?;
    recorded(run, &rows)
}

fn number(seq: u64) -> Value {
    Value::Int(i64::try_from(seq).unwrap_or(i64::MAX))
}

fn recorded(run: &RunId, rows: &[Row]) -> Result<Vec<Recorded>, StoreError> {
    let unreadable =
        |error: serde_json::Error| StoreError::Unreadable(format!("an event of run {run}: {error}"));
    let event = |row: &Row| {
        Ok(Recorded {
            at: Timestamp(row.int("happened_at")?),
            by: serde_json::from_str(&row.text("actor")?).map_err(unreadable)?,
            event: serde_json::from_str(&row.text("body")?).map_err(unreadable)?,
        })
    };
    rows.iter().map(event).collect()
}

#[cfg(test)]
mod tests {
    use bugle_core::engine::Event;
    use bugle_core::id::Actor;

    use super::*;
    use crate::Durability;

    #[test]
    fn a_snapshot_that_is_written_between_two_queries_hides_no_event() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("bugle.db"), Durability::Full).unwrap();
        let run: RunId = "r-7f3a1c".parse().unwrap();
        let db = &mut store.connection;
        db.engine().ignore_references().unwrap();
        let actor = serde_json::to_string(&Actor::Program).unwrap();
        let body = serde_json::to_string(&Event::Resumed).unwrap();
        for seq in 1..=3_i64 {
            db.execute(
                "INSERT INTO event (run_id, seq, happened_at, actor, body) VALUES ($1, $2, 0, $3, $4)",
                &[
                    run.as_str().into(),
                    seq.into(),
                    actor.as_str().into(),
                    body.as_str().into(),
                ],
            )
            .unwrap();
        }
        let mut events = |after| store.events_after_snapshot(&run, after).unwrap().len();
        assert_eq!(events(0), 3);
        store
            .connection
            .execute(
                "INSERT INTO snapshot (run_id, version, fold, body, hash) VALUES ($1, 3, $2, '', '')",
                &[run.as_str().into(), FOLD_VERSION.into()],
            )
            .unwrap();
        // Callers with no snapshot, an older snapshot and the current snapshot.
        let mut events = |after| store.events_after_snapshot(&run, after).unwrap().len();
        assert_eq!([0, 1, 3].map(&mut events), [3, 2, 0]);
    }
}
