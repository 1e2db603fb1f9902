//! Transactions that another process or the network interrupts are repeated, or checked if the commit's outcome is
//! unknown.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use bugle_core::id::{MessageId, Timestamp};
use bugle_store::{Append, Store, StoreError};
use bugle_testkit::postgres::{self, PASSWORD, Server, USER};

use crate::messages::post;
use crate::postgres::open;
use crate::runs::{add, created};
use crate::tasks::family;
use crate::test_run::{TestRun, project};

/// A server, and the name of one of its databases.
fn database() -> Option<(&'static Server, String)> {
    postgres::is_available().then(|| {
        let server = postgres::shared();
        (server, server.create_database())
    })
}

/// Closes the connections that other processes have to a database.
fn disconnect_all(server: &Server, database: &str) {
    server.sql(
        "postgres",
        &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"),
    );
}

/// A proxy in front of the server that can lose the server's answer to a commit.
struct Proxy {
    port: u16,
    /// Whether the proxy closes the connection instead of passing on the next answer.
    loses_next: Arc<AtomicBool>,
}

impl Proxy {
    fn start(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let loses_next = Arc::new(AtomicBool::new(false));
        let (upstream, lossy) = (server.port(), Arc::clone(&loses_next));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", upstream)).unwrap();
                let (to_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let lossy = Arc::clone(&lossy);
                thread::spawn(move || pass_on(client, server, &AtomicBool::new(false)));
                thread::spawn(move || pass_on(from_server, to_client, &lossy));
            }
        });
        Self { port, loses_next }
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, loses_next: &AtomicBool) {
    let mut piece = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        if loses_next.swap(false, Ordering::SeqCst) || to.write_all(&piece[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

#[test]
fn a_transaction_whose_connection_is_lost_is_repeated() {
    let Some((server, name)) = database() else { return };
    let mut store = open(&server.url(&name)).unwrap();
    let here = project(&mut store);
    let mut attempts = 0;
    let moved: Result<(), StoreError> = store.transaction(|tx| {
        attempts += 1;
        tx.find_project("/home/ada/project")?;
        if attempts == 1 {
            disconnect_all(server, &name);
        }
        tx.record_once(&here, "moved", Timestamp(1)).map(drop)
    });
    moved.unwrap();
    assert_eq!(attempts, 2);
    assert!(!store.record_once(&here, "moved", Timestamp(1)).unwrap());
}

#[test]
fn a_transaction_that_only_writes_needs_no_answer_from_a_closed_connection() {
    let Some((server, name)) = database() else { return };
    let mut store = open(&server.url(&name)).unwrap();
    let here = project(&mut store);
    let mut attempts = 0;
    server.sql(
        "postgres",
        &format!("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}'"),
    );
    let written: Result<(), StoreError> = store.row_transaction(|tx| {
        attempts += 1;
        tx.place_run(&"r-aaaaaa".parse().unwrap(), "/somewhere")
    });
    written.unwrap();
    assert_eq!(attempts, 1);
    assert_eq!(project(&mut store), here);
}

#[test]
fn a_transaction_with_an_effect_outside_the_store_is_not_repeated() {
    let Some((server, name)) = database() else { return };
    let mut store = open(&server.url(&name)).unwrap();
    let here = project(&mut store);
    let mut printed = 0;
    let failed: Result<(), StoreError> = store.transaction(|tx| {
        tx.record_once(&here, "printed", Timestamp(1))?;
        tx.forbid_retry();
        printed += 1;
        disconnect_all(server, &name);
        tx.find_project("/home/ada/project").map(drop)
    });
    let error = failed.unwrap_err();
    assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    assert_eq!(printed, 1);
    assert!(store.record_once(&here, "printed", Timestamp(1)).unwrap());
}

#[test]
fn transactions_that_deadlock_are_repeated() {
    let Some((server, name)) = database() else { return };
    let url = server.url(&name);
    let mut store = open(&url).unwrap();
    for run in ["r-aaaaaa", "r-bbbbbb"] {
        created(&mut store, run, 100);
    }
    let attempts = AtomicUsize::new(0);
    let (barrier, url, attempts) = (&Barrier::new(2), &url, &attempts);
    thread::scope(|scope| {
        for order in [["r-aaaaaa", "r-bbbbbb"], ["r-bbbbbb", "r-aaaaaa"]] {
            scope.spawn(move || {
                let mut store = open(url).unwrap();
                let mut is_first = true;
                store
                    .row_transaction(|tx| {
                        attempts.fetch_add(1, Ordering::SeqCst);
                        for (place, run) in order.iter().enumerate() {
                            let run = run.parse().unwrap();
                            // The other transaction may have changed the run before this one locked it.
                            loop {
                                let update = TestRun::read(tx, &run).noted(110, &format!("{order:?}"));
                                if tx.append(update.expected, &update.events, &update.state)? == Append::Done
                                {
                                    break;
                                }
                            }
                            // Each transaction locks its first row before it asks for the other one.
                            if place == 0 && std::mem::take(&mut is_first) {
                                barrier.wait();
                            }
                        }
                        Ok::<_, StoreError>(())
                    })
                    .unwrap();
            });
        }
    });
    assert_eq!(attempts.load(Ordering::SeqCst), 3);
    for run in ["r-aaaaaa", "r-bbbbbb"] {
        let run = TestRun::read(&mut store, &run.parse().unwrap());
        assert_eq!(run.state.visits()[0].notes.len(), 2);
    }
}

/// Runs `work` through a proxy that loses the answer to its commit; returns how often `work` ran.
fn without_answer(work: impl Fn(&mut Store) -> Result<(), StoreError>) -> Option<(Store, usize)> {
    let (server, name) = database()?;
    let proxy = Proxy::start(server);
    let mut store = open(&proxy.url(&name)).unwrap();
    project(&mut store);
    created(&mut store, "r-aaaaaa", 100);
    family(&mut store, 1);
    let mut attempts = 0;
    store
        .transaction(|tx| {
            attempts += 1;
            work(tx)?;
            proxy.loses_next.store(attempts == 1, Ordering::SeqCst);
            Ok::<_, StoreError>(())
        })
        .unwrap();
    Some((store, attempts))
}

#[test]
fn a_commit_whose_answer_is_lost_is_found_by_its_event() {
    let note = |store: &mut Store| {
        let run = TestRun::read(store, &"r-aaaaaa".parse().unwrap());
        let update = run.noted(110, "once");
        store
            .append(update.expected, &update.events, &update.state)
            .map(drop)
    };
    let Some((mut store, attempts)) = without_answer(note) else {
        return;
    };
    assert_eq!(attempts, 1);
    let run = TestRun::read(&mut store, &"r-aaaaaa".parse().unwrap());
    assert_eq!(run.state.visits()[0].notes.len(), 1);
    assert_eq!(add(&mut store, &run.noted(120, "later")), Append::Done);
}

#[test]
fn a_commit_whose_answer_is_lost_is_found_by_its_message() {
    let say = |store: &mut Store| {
        let here = project(store);
        post(store, &here, "m-aaaaaa", "ann", &["bob"]);
        Ok(())
    };
    let Some((mut store, attempts)) = without_answer(say) else {
        return;
    };
    assert_eq!(attempts, 1);
    let here = project(&mut store);
    let unread = store.unread(&here, &crate::messages::agent("bob"), 10).unwrap();
    let ids: Vec<&MessageId> = unread.rows.iter().map(|row| &row.message.id).collect();
    assert_eq!(ids, [&MessageId::parse("m-aaaaaa").unwrap()]);
}

#[test]
fn a_commit_without_a_witness_stays_unknown() {
    let Some((server, name)) = database() else { return };
    let proxy = Proxy::start(server);
    let mut store = open(&proxy.url(&name)).unwrap();
    let here = project(&mut store);
    let failed: Result<(), StoreError> = store.transaction(|tx| {
        tx.record_once(&here, "unknown", Timestamp(1))?;
        proxy.loses_next.store(true, Ordering::SeqCst);
        Ok(())
    });
    let error = failed.unwrap_err();
    assert!(matches!(error, StoreError::CommitUnknown(_)), "{error}");
}
