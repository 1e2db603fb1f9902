//! Rows that are read ahead, and deferred writes, on a Postgres server.

use bugle_core::id::{SessionId, Timestamp};
use bugle_store::{MachineId, Plan, RunKeys, SessionRow, Store, StoreError};
use bugle_testkit::postgres;

use crate::conformance::Engine;
use crate::postgres::{PostgresDatabase, no_variables};
use crate::runs::created;

fn session(id: &str) -> SessionRow {
    let id = SessionId(id.to_owned());
    SessionRow::new(id, "claude", "/somewhere".to_owned(), Timestamp(1))
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
    // A query that is not in the plan also sends the queued plan.
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

/// Makes the first insertion into a table fail with an error code of the server.
fn fail_first_insert(database: &PostgresDatabase, table: &str, code: &str) {
    postgres::shared().sql(
        database.name(),
        &format!(
            "CREATE SEQUENCE insertions;
             CREATE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
               IF nextval('insertions') = 1 THEN RAISE EXCEPTION USING ERRCODE = '{code}'; END IF;
               RETURN NEW;
             END $$;
             CREATE TRIGGER fail_first BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail_first()"
        ),
    );
}

#[test]
fn held_back_writes_that_another_transaction_interrupted_are_sent_again() {
    let Some((database, mut other)) = database() else {
        return;
    };
    fail_first_insert(&database, "session", "40P01");
    let [one, two] = ["one", "two"].map(|id| SessionId(id.to_owned()));
    let mut store = hook(&database, |_| Ok(()));
    store.keep_session(&session("one")).unwrap();
    let mut attempts = 0;
    let seen = store.row_transaction(|tx| {
        attempts += 1;
        tx.session(&two)
    });
    assert_eq!((seen.unwrap(), attempts), (None, 1));
    assert_eq!(other.session(&one).unwrap(), Some(session("one")));
}

#[test]
fn held_back_writes_are_not_repeated_with_a_transaction_after_them() {
    let Some((database, mut other)) = database() else {
        return;
    };
    fail_first_insert(&database, "machine", "40001");
    let one = SessionId("one".to_owned());
    let mut store = hook(&database, |_| Ok(()));
    store.keep_session(&session("one")).unwrap();
    let mut attempts = 0;
    let done: Result<(), StoreError> = store.row_transaction(|tx| {
        attempts += 1;
        if attempts == 2 {
            let ended = Some("clear".to_owned());
            other.keep_session(&SessionRow {
                ended,
                ..session("one")
            })?;
        }
        tx.introduce_machine("host")?;
        tx.projects().map(drop)
    });
    done.unwrap();
    assert_eq!(attempts, 2);
    let kept = other.session(&one).unwrap().unwrap();
    assert_eq!(kept.ended.as_deref(), Some("clear"));
}

#[test]
fn held_back_writes_keep_their_durability() {
    let Some((database, _)) = database() else {
        return;
    };
    let mut store = hook(&database, |_| Ok(()));
    let mut is_relaxed = |work: &dyn Fn(&mut Store) -> Result<(), StoreError>| {
        let (done, log) = store.log_statements(|store| work(store).and_then(|()| store.flush()));
        done.unwrap();
        log[0].text.contains("synchronous_commit = off")
    };
    assert!(is_relaxed(
        &|store| store.relaxed(|store| { store.keep_session(&session("one")) })
    ));
    assert!(!is_relaxed(&|store| store.keep_session(&session("one"))));
    assert!(!is_relaxed(&|store| {
        store.keep_session(&session("one"))?;
        store.relaxed(|store| store.keep_session(&session("two")))
    }));
}

#[test]
fn a_closed_snapshot_is_not_open_on_the_server() {
    let Some((database, _)) = database() else {
        return;
    };
    let open_transactions = || {
        let name = database.name();
        let statement = format!(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = '{name}' AND state = 'idle in transaction'"
        );
        postgres::shared().sql("postgres", &statement)
    };
    let mut store = hook(&database, |_| Ok(()));
    store.begin_snapshot().unwrap();
    store.projects().unwrap();
    assert_eq!(open_transactions(), "1");
    store.close_snapshot().unwrap();
    assert_eq!(open_transactions(), "0");
    assert_eq!(store.round_trips(), 3);
}
