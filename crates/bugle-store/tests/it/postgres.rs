//! Postgres: the same results as `SQLite`, many writers at once, and plain errors.

use bugle_store::{Durability, Store, StoreError};
use bugle_testkit::postgres::{self, Server};

use crate::conformance::Engine;

/// A database on the server of this test process.
pub(crate) struct PostgresDatabase {
    server: &'static Server,
    name: String,
}

fn no_variables(_: &str) -> Option<String> {
    None
}

pub(crate) fn open(url: &str) -> Result<Store, StoreError> {
    Store::open_url(url, &no_variables, Durability::Full, &mut |_| ())
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
