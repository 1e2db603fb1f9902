//! The store that tests use: a file, or with `BUGLE_TEST_STORE=postgres` a database on a server that the tests start.
//! With Postgres, tests that read the store's file fail.

use bugle_testkit::postgres;

use super::sandbox::Sandbox;

/// The URL of a new store; `None` if the store is a file.
pub(crate) fn url() -> Option<String> {
    let on_postgres = std::env::var("BUGLE_TEST_STORE").is_ok_and(|store| store == "postgres");
    on_postgres.then(|| {
        let server = postgres::shared();
        server.url(&server.create_database())
    })
}

/// A sandbox with its store at this URL.
pub(crate) fn sandbox_with_store(url: String) -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.store = Some(url);
    sandbox
}

/// A sandbox with its store in a file, whatever the other tests use.
pub(crate) fn sandbox_with_file() -> Sandbox {
    let mut sandbox = Sandbox::new();
    sandbox.store = None;
    sandbox
}
