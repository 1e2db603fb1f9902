//! The store that tests use: a file, or with `BUGLE_TEST_STORE=postgres` a database on a server that the tests start.

use bugle_store::{Durability, Store};
use bugle_testkit::postgres::{self, Server};
use bugle_testkit::test_store::{self, FileOnly};
use rusqlite::Connection;

use super::sandbox::Sandbox;

/// Tests that always use a file. Each entry has a reason and the tests' name prefixes.
const FILE_ONLY: FileOnly = &[
    ("these tests choose their engines themselves", &["store::"]),
    (
        "these tests begin without a store",
        &[
            "hooks::faults::without_a_store",
            "hooks::status_line::open_work_is_one_line",
        ],
    ),
    (
        "these tests damage or lock the file",
        &[
            "hooks::faults::a_broken_or_newer_store",
            "hooks::faults::hooks_end_while_the_store_is_locked",
            "hooks::status_line::errors_print_no_line",
            "runs::kill::a_run_survives_a_failure_of_any_write",
            "runs::kill::a_run_survives_a_kill_between_any_two_disk_writes",
        ],
    ),
];

/// A new database, or `None` if no server is installed.
pub(crate) fn database() -> Option<(&'static Server, String)> {
    postgres::is_available().then(|| {
        let server = postgres::shared();
        (server, server.create_database())
    })
}

/// The URL of a new store; `None` if the store is a file.
pub(crate) fn url() -> Option<String> {
    test_store::url(FILE_ONLY, |url| {
        drop(Store::open_url(url, &|_: &str| None, Durability::Full, &mut |_| ()).unwrap());
    })
}

/// A sandbox with its store at this URL.
pub(crate) fn sandbox_with_store(url: String) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.store = Some(url);
    sandbox
}

/// A sandbox with its store in a file, regardless of the variable.
pub(crate) fn sandbox_with_file() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.store = None;
    sandbox
}

impl Sandbox {
    /// Makes the sandbox use the store at this URL.
    pub(crate) fn use_store(&mut self, url: String) {
        self.store = Some(url);
    }

    /// Makes the sandbox use the file in Bugle's home, or the store in its settings.
    pub(crate) fn use_file(&mut self) {
        self.store = None;
    }

    /// Whether the store is a database on a server.
    pub(crate) fn is_on_server(&self) -> bool {
        self.store.is_some()
    }

    /// The name of the store's database on the server that all tests share; `None` if the store is a file.
    fn server_database(&self) -> Option<&str> {
        self.store.as_deref().and_then(test_store::database_in)
    }

    /// Executes statements directly in the store's database.
    pub(crate) fn sql(&self, statements: &str) {
        if let Some(database) = self.server_database() {
            postgres::shared().sql(database, statements);
        } else {
            let connection = Connection::open(self.database()).unwrap();
            connection.execute_batch(statements).unwrap();
        }
    }

    /// Executes a statement directly in the store's database. Returns the number of rows found or changed.
    pub(crate) fn sql_count(&self, statement: &str) -> usize {
        if let Some(database) = self.server_database() {
            let returning = if statement.starts_with("SELECT") {
                ""
            } else {
                " RETURNING 1"
            };
            let rows = postgres::shared().sql(database, &format!("{statement}{returning}"));
            return rows.lines().count();
        }
        let connection = Connection::open(self.database()).unwrap();
        let mut prepared = connection.prepare(statement).unwrap();
        if prepared.column_count() == 0 {
            return prepared.execute([]).unwrap();
        }
        let mut rows = prepared.query([]).unwrap();
        let mut count = 0;
        while rows.next().unwrap().is_some() {
            count += 1;
        }
        count
    }
}
