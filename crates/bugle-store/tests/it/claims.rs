//! Claims on Postgres: they wait for other changes to the project's tasks, but not for each other.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::task::TaskEvent;
use bugle_store::{LockedTasks, ProjectId, Store, StoreError};
use bugle_testkit::postgres;

use crate::conformance::Engine;
use crate::postgres::PostgresDatabase;
use crate::task_model::recorded;
use crate::tasks::{claim, family};

fn claimed_by(name: &str, store: &mut Store, project: &ProjectId) -> Result<Option<TaskId>, StoreError> {
    claim(store, project, Some(&AgentName::new(name).unwrap()))
}

#[test]
fn a_claim_during_another_claim_takes_the_next_task() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    let mut beside = database.open();
    let (project, _, ids) = family(&mut store, 3);
    let mut others = Vec::new();
    let first = store
        .claim_transaction(&project, |tx| {
            let first = claimed_by("ann", tx, &project)?;
            others = vec![
                claimed_by("bob", &mut beside, &project)?,
                claimed_by("cid", &mut beside, &project)?,
                claimed_by("dan", &mut beside, &project)?,
            ];
            Ok::<_, StoreError>(first)
        })
        .unwrap();
    assert_eq!(first, Some(ids[0].clone()));
    assert_eq!(others, [Some(ids[1].clone()), Some(ids[2].clone()), None]);
}

#[test]
fn a_task_whose_claim_failed_is_claimed_next() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    let (project, _, ids) = family(&mut store, 2);
    let failed: Result<(), StoreError> = store.claim_transaction(&project, |tx| {
        claimed_by("ann", tx, &project)?;
        Err(StoreError::Unreadable("stop".to_owned()))
    });
    assert!(failed.is_err());
    assert_eq!(
        claimed_by("bob", &mut store, &project).unwrap(),
        Some(ids[0].clone())
    );
}

#[test]
fn another_change_waits_for_an_open_claim() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    let (project, _, ids) = family(&mut store, 2);
    let server = postgres::shared();
    std::thread::scope(|scope| {
        let changing = store
            .claim_transaction(&project, |tx| {
                claimed_by("ann", tx, &project)?;
                let (database, project, id) = (&database, &project, ids[0].clone());
                let changing = scope.spawn(move || {
                    let mut store = database.open();
                    store
                        .change_tasks(project, &recorded(&[(id, TaskEvent::Finished)]))
                        .unwrap()
                });
                let waiting = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted \
                               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
                while server.sql(database.name(), waiting) == "0" {
                    std::thread::yield_now();
                }
                Ok::<_, StoreError>(changing)
            })
            .unwrap();
        assert!(changing.join().unwrap());
    });
    let events = store.task_events(&ids[0]).unwrap();
    assert!(matches!(events[1].event, TaskEvent::Started { .. }));
    assert_eq!(events[2].event, TaskEvent::Finished);
}

#[test]
fn a_claim_can_wait_for_a_task_that_another_transaction_has_locked() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    let (project, _, ids) = family(&mut store, 2);
    let server = postgres::shared();
    std::thread::scope(|scope| {
        let mut waiting = None;
        let failed: Result<(), StoreError> = store.claim_transaction(&project, |tx| {
            claimed_by("ann", tx, &project)?;
            let (database, ids) = (&database, &ids);
            waiting = Some(scope.spawn(move || {
                let mut store = database.open();
                store.row_transaction(|tx| tx.lock_ready(ids, LockedTasks::Wait))
            }));
            let blocked = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'";
            while server.sql(database.name(), blocked) == "0" {
                std::thread::yield_now();
            }
            Err(StoreError::Unreadable("stop".to_owned()))
        });
        assert!(failed.is_err());
        let locked = waiting.unwrap().join().unwrap().unwrap();
        assert_eq!(locked, Some(ids[0].clone()));
    });
}
