//! Rows that are read ahead, and writes that are held back, on a Postgres server.

use bugle_core::hook::SessionMemory;
use bugle_core::id::{SessionId, Timestamp};
use bugle_store::{MachineId, Plan, RunKeys, SessionRow, Store, StoreError};
use bugle_testkit::postgres;

use crate::conformance::Engine;
use crate::postgres::{PostgresDatabase, no_variables};
use crate::runs::created;

fn session(id: &str) -> SessionRow {
    SessionRow {
        id: SessionId(id.to_owned()),
        client: "claude".to_owned(),
        directory: "/somewhere".to_owned(),
        ended: None,
        memory: SessionMemory::default(),
        seen_at: Timestamp(1),
    }
}

/// A database with a store that was opened in the usual way; `None` if Postgres is not installed.
fn database() -> Option<(PostgresDatabase, Store)> {
    if !postgres::is_available() {
        return None;
    }
    let database = PostgresDatabase::fresh();
    let store = database.open();
    Some((database, store))
}

/// A store that sends the queries in `plan` in advance.
fn hook(database: &PostgresDatabase, mut plan: impl FnMut(&mut Plan<'_>) -> Result<(), StoreError>) -> Store {
    Store::open_url_for_hook(&database.url(), &no_variables, MachineId::default(), &mut plan).unwrap()
}

#[test]
fn rows_that_were_read_ahead_cost_no_further_round_trip() {
    let Some((database, mut other)) = database() else {
        return;
    };
    other.keep_session(&session("one")).unwrap();
    let [one, none] = ["one", "none"].map(|id| SessionId(id.to_owned()));
    let mut store = hook(&database, |plan| {
        plan.session(&one)?;
        plan.session(&none).map(drop)
    });
    assert_eq!(store.session(&one).unwrap(), Some(session("one")));
    assert_eq!(store.session(&none).unwrap(), None);
    assert_eq!(store.round_trips(), 1);
    // A query outside the plan also sends the next plan.
    store.read_ahead(|plan| plan.projects().map(drop)).unwrap();
    assert_eq!(store.session(&SessionId("two".to_owned())).unwrap(), None);
    assert_eq!(store.projects().unwrap(), []);
    assert_eq!(store.round_trips(), 2);
}

#[test]
fn planned_queries_run_for_each_key() {
    let Some((database, mut other)) = database() else {
        return;
    };
    created(&mut other, "r-one1", 100);
    created(&mut other, "r-one2", 200);
    let mut store = hook(&database, |plan| {
        plan.runs_by_prefix("r-one")?;
        plan.each_run(&RunKeys::Prefix("r-one".to_owned()), |plan, run| {
            plan.run_state(&run.id)?;
            if let Some(visit) = run.visit {
                plan.children(&run.id, visit)?;
            }
            Ok(())
        })
    });
    let rows = store.runs_by_prefix("r-one").unwrap();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(
            store.run_state(&row.id).unwrap(),
            other.run_state(&row.id).unwrap()
        );
        if let Some(visit) = row.visit {
            assert_eq!(store.children(&row.id, visit).unwrap(), []);
        }
    }
    assert_eq!(store.round_trips(), 1);
}

#[test]
fn rows_are_read_again_after_a_write_and_in_a_transaction() {
    let Some((database, mut other)) = database() else {
        return;
    };
    other.keep_session(&session("one")).unwrap();
    let one = SessionId("one".to_owned());
    let mut store = hook(&database, |plan| plan.session(&one).map(drop));
    let changed = SessionRow {
        ended: Some("clear".to_owned()),
        ..session("one")
    };
    other.keep_session(&changed).unwrap();
    assert_eq!(store.session(&one).unwrap(), Some(session("one")));
    let seen = store.row_transaction(|tx| tx.session(&one)).unwrap();
    assert_eq!(seen, Some(changed.clone()));
    store.keep_session(&session("two")).unwrap();
    assert_eq!(store.session(&one).unwrap(), Some(changed));
}

#[test]
fn held_back_writes_are_sent_with_the_next_query_or_at_the_end() {
    let Some((database, mut other)) = database() else {
        return;
    };
    let [one, two] = ["one", "two"].map(|id| SessionId(id.to_owned()));
    let mut store = hook(&database, |_| Ok(()));
    store
        .row_transaction(|tx| tx.keep_session(&session("one")))
        .unwrap();
    assert_eq!(other.session(&one).unwrap(), None);
    assert_eq!(store.session(&one).unwrap(), Some(session("one")));
    assert_eq!(other.session(&one).unwrap(), Some(session("one")));
    assert_eq!(store.round_trips(), 2);
    store.keep_session(&session("two")).unwrap();
    store.flush().unwrap();
    assert_eq!(other.session(&two).unwrap(), Some(session("two")));
    assert_eq!(store.round_trips(), 3);
}

#[test]
fn an_error_in_a_queued_write_rolls_the_transaction_back() {
    let Some((database, mut other)) = database() else {
        return;
    };
    let one = SessionId("one".to_owned());
    let broken = SessionRow {
        directory: "a\0b".to_owned(),
        ..session("two")
    };
    let error = other.row_transaction(|tx| {
        tx.keep_session(&session("one"))?;
        tx.keep_session(&broken)
    });
    assert!(matches!(error, Err(StoreError::Unstorable { .. })), "{error:?}");
    assert_eq!(other.session(&one).unwrap(), None);
    let mut store = hook(&database, |_| Ok(()));
    store.keep_session(&broken).unwrap();
    let error = store.flush();
    assert!(matches!(error, Err(StoreError::Unstorable { .. })), "{error:?}");
    store.keep_session(&session("one")).unwrap();
    store.flush().unwrap();
    assert_eq!(other.session(&one).unwrap(), Some(session("one")));
}
