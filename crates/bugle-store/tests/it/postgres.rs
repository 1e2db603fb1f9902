//! Postgres: the same results as `SQLite`, many writers at once, and plain errors.

use std::net::TcpListener;
use std::sync::Barrier;
use std::time::Duration;

use bugle_store::{Append, CommitListener, Durability, MachineId, Store, StoreError};
use bugle_testkit::postgres::{self, PASSWORD, Server, USER};

use crate::conformance::Engine;
use crate::runs::{add, created};
use crate::test_run::{TestRun, project};

/// A database on the server of this test process.
pub(crate) struct PostgresDatabase {
    server: &'static Server,
    name: String,
}

pub(crate) fn no_variables(_: &str) -> Option<String> {
    None
}

pub(crate) fn open(url: &str) -> Result<Store, StoreError> {
    Store::open_url(url, &no_variables, Durability::Full, &mut |_| ())
}

fn open_for_hook(url: &str) -> Result<Store, StoreError> {
    Store::open_url_for_hook(url, &no_variables, MachineId::default(), &mut |_| Ok(()))
}

impl PostgresDatabase {
    /// The database's name on the shared server.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The database's URL.
    pub(crate) fn url(&self) -> String {
        self.server.url(&self.name)
    }
}

impl Engine for PostgresDatabase {
    fn is_available() -> bool {
        postgres::is_available()
    }

    fn fresh() -> Self {
        let server = postgres::shared();
        let name = server.create_database();
        Self { server, name }
    }

    fn open(&self) -> Store {
        open(&self.server.url(&self.name)).unwrap()
    }
}

/// The error of an attempt to open a store. It never shows the password.
fn refused(url: &str) -> StoreError {
    let error = open(url).unwrap_err();
    let shown = format!("{error} {:?}", error.hints());
    assert!(!shown.contains(PASSWORD) && !shown.contains("wr0ng"), "{shown}");
    assert!(!error.hints().is_empty(), "{error}");
    error
}

#[test]
fn a_password_opens_the_store_over_the_network() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = open(&database.server.network_url(USER, PASSWORD, &database.name)).unwrap();
    assert!(!store.name().contains(PASSWORD), "{}", store.name());
    project(&mut store);
    let without = database.server.network_url(USER, "", &database.name);
    let variables = |name: &str| (name == "PGPASSWORD").then(|| PASSWORD.to_owned());
    Store::open_url(&without, &variables, Durability::Full, &mut |_| ()).unwrap();
}

#[test]
fn a_wrong_password_and_a_wrong_database_are_plain_errors() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let server = database.server;
    let error = refused(&server.network_url(USER, "wr0ng", &database.name));
    assert!(matches!(error, StoreError::SignIn { .. }), "{error}");
    let error = refused(&server.network_url(USER, "", &database.name));
    assert!(matches!(error, StoreError::SignIn { .. }), "{error}");
    let error = refused(&server.network_url(USER, PASSWORD, "elsewhere"));
    assert!(matches!(error, StoreError::NoDatabase { .. }), "{error}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = refused(&format!("postgres://{USER}:{PASSWORD}@{closed}/team"));
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[test]
fn a_server_without_tls_is_refused_if_tls_is_required() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let url = database.server.network_url(USER, PASSWORD, &database.name);
    let error = refused(&format!("{url}?sslmode=require"));
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("TLS"), "{error}");
}

#[test]
fn sslmode_decides_what_is_verified() {
    if !postgres::is_available() {
        return;
    }
    let server = Server::start_with_tls();
    let database = server.create_database();
    let root = server.authority().display().to_string();
    let url = |host: &str, mode: &str, root: &str| {
        let options = format!("sslmode={mode}&sslrootcert={root}");
        server.named_url(host, &database, &options)
    };
    let encrypted = "SELECT COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
                     WHERE ssl AND application_name = 'bugle'";
    for (host, mode) in [
        ("localhost", "prefer"),
        ("localhost", "require"),
        ("127.0.0.1", "verify-ca"),
        ("localhost", "verify-full"),
    ] {
        let store = open(&url(host, mode, &root)).unwrap();
        assert_eq!(server.sql(&database, encrypted), "1", "{mode}");
        drop(store);
    }
    let plain = open(&url("localhost", "disable", &root)).unwrap();
    assert_eq!(server.sql(&database, encrypted), "0");
    drop(plain);
    for (host, mode, root) in [
        ("127.0.0.1", "verify-full", root.as_str()),
        ("localhost", "verify-full", "system"),
        ("localhost", "verify-ca", "system"),
        ("localhost", "verify-full", "/no/such/file"),
    ] {
        let error = refused(&url(host, mode, root));
        assert!(matches!(error, StoreError::Unreachable { .. }), "{mode}: {error}");
    }
}

#[test]
fn channel_binding_needs_tls() {
    if !postgres::is_available() {
        return;
    }
    let server = Server::start_with_tls();
    let database = server.create_database();
    let url = |options: &str| server.named_url("localhost", &database, options);
    for binding in ["require", "prefer", "disable"] {
        open(&url(&format!("sslmode=require&channel_binding={binding}"))).unwrap();
    }
    open(&url("sslmode=disable&channel_binding=prefer")).unwrap();
    let error = refused(&url("sslmode=disable&channel_binding=require"));
    assert!(error.to_string().contains("channel binding"), "{error}");
    let required = |name: &str| (name == "PGCHANNELBINDING").then(|| "require".to_owned());
    let plain = url("sslmode=disable");
    let error = Store::open_url(&plain, &required, Durability::Full, &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("channel binding"), "{error}");
    let error = refused(&url("channel_binding=always"));
    assert!(matches!(error, StoreError::BadAddress { .. }), "{error}");
}

#[test]
fn an_older_schema_in_a_hook_a_newer_schema_and_tables_of_another_program_are_refused() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let known = database.open().schema().unwrap();
    database
        .server
        .sql(&database.name, "UPDATE bugle_schema SET version = version + 1");
    // A hook does not upgrade an older schema.
    database
        .server
        .sql(&database.name, "UPDATE bugle_schema SET version = version - 2");
    let url = database.server.url(&database.name);
    let error = open_for_hook(&url).unwrap_err();
    assert!(matches!(error, StoreError::Older { .. }), "{error}");
    database
        .server
        .sql(&database.name, "UPDATE bugle_schema SET version = version + 2");
    let error = refused(&database.server.url(&database.name));
    let StoreError::Newer {
        found, known: own, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!((*found, *own), (known + 1, known));
    let other = PostgresDatabase::fresh();
    other.server.sql(&other.name, "CREATE TABLE event (id INTEGER)");
    let error = refused(&other.server.url(&other.name));
    assert!(matches!(error, StoreError::OtherTables(_)), "{error}");
}

#[test]
fn a_read_only_database_is_a_plain_error() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    drop(database.open());
    let (server, name) = (database.server, &database.name);
    // A reader without the right to write.
    server.sql(
        name,
        "CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    );
    let mut store = open(&server.network_url("reader", "reader", name)).unwrap();
    let error = store
        .project("/here", "p-1", bugle_core::id::Timestamp(1))
        .unwrap_err();
    assert!(matches!(error, StoreError::NoRights { .. }), "{error}");
    assert_eq!(
        store.find_project("/here").unwrap(),
        None,
        "the connection still works"
    );
}

#[test]
fn text_is_ordered_by_code_point() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    for (number, place) in ["/b", "/B", "/a", "/ä", "/_"].iter().enumerate() {
        store
            .project(place, &format!("p-{number}"), bugle_core::id::Timestamp(1))
            .unwrap();
    }
    let places: Vec<String> = store
        .projects()
        .unwrap()
        .into_iter()
        .map(|row| row.place)
        .collect();
    assert_eq!(places, ["/B", "/_", "/a", "/b", "/ä"]);
}

#[test]
fn a_crash_of_the_server_loses_nothing_that_was_committed() {
    if !postgres::is_available() {
        return;
    }
    let server = Server::start();
    let url = server.url(&server.create_database());
    let mut store = open(&url).unwrap();
    let mut run = created(&mut store, "r-aaaaaa", 100);
    let update = run.noted(110, "before");
    assert_eq!(add(&mut store, &update), Append::Done);
    run.apply(update);
    let update = run.noted(120, "during");
    let failed: Result<(), StoreError> = store.transaction(|store| {
        store.append(update.expected, &update.events, &update.state)?;
        server.crash();
        Ok(())
    });
    let error = failed.unwrap_err();
    // The commit was not sent, so the transaction would be repeated if there were a server.
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
    let error = store.find_project("/here").unwrap_err();
    assert!(
        matches!(error, StoreError::Unreachable { .. } | StoreError::Lost { .. }),
        "{error}"
    );
    server.restart();
    // The same connection works again, and nothing is half-written.
    let stored = TestRun::read(&mut store, &run.state.id);
    assert_eq!(stored.events.len(), run.events.len());
    assert_eq!(add(&mut store, &update), Append::Done);
    let audited = store.audited_run(&run.state.id).unwrap().unwrap();
    assert_eq!(audited.fault, None);
    // The store reconnects after a restart during which it was idle.
    server.crash();
    server.restart();
    assert!(store.find_project("/home/ada/project").unwrap().is_some());
}

#[test]
fn a_hook_does_not_wait_for_a_server_that_stalls() {
    // The kernel accepts the connection, but no program answers.
    let stalled = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = stalled.local_addr().unwrap();
    let url = format!("postgres://{USER}:{PASSWORD}@{address}/team");
    let error = open_for_hook(&url).unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error}");
}

#[test]
fn a_commit_wakes_a_listener_and_a_read_does_not() {
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let mut store = database.open();
    let url = database.server.url(&database.name);
    let mut listener = CommitListener::open(&url, &no_variables).unwrap();
    assert_eq!(store.projects().unwrap(), []);
    assert!(!listener.wait(Duration::from_millis(20)).unwrap());
    project(&mut store);
    assert!(listener.wait(Duration::from_mins(1)).unwrap());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| listener.wait(Duration::from_mins(1)).unwrap());
        created(&mut store, "r-aaaaaa", 100);
        assert!(waiting.join().unwrap());
    });
}

#[test]
fn many_processes_can_open_an_empty_database_at_once() {
    const PROCESSES: usize = 16;
    if !postgres::is_available() {
        return;
    }
    let database = PostgresDatabase::fresh();
    let barrier = Barrier::new(PROCESSES);
    std::thread::scope(|scope| {
        for _ in 0..PROCESSES {
            scope.spawn(|| {
                barrier.wait();
                project(&mut database.open());
            });
        }
    });
    assert_eq!(database.open().projects().unwrap().len(), 1);
}
