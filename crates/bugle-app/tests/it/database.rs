//! The store's database: a file, or with `BUGLE_TEST_STORE=postgres` a database on a server that the tests start.

use bugle_store::{Durability, Store};
use bugle_testkit::postgres;
use bugle_testkit::test_store::{self, FileOnly};
use rusqlite::Connection;

use crate::project::Project;

/// Tests that always use a file.
const FILE_ONLY: FileOnly = &[
    ("these tests count a file's statements", &["reads::"]),
    (
        "this test watches the file",
        &["moved_folder::reads_in_a_moved_folder_find_everything_and_write_nothing"],
    ),
];

/// The URL of a new store; `None` if the store is a file.
pub(crate) fn url() -> Option<String> {
    test_store::url(FILE_ONLY, |url| {
        drop(Store::open_url(url, &|_: &str| None, Durability::Full, &mut |_| ()).unwrap());
    })
}

#[test]
fn use_cases_of_every_subject_pass_on_postgres() {
    test_store::assert_pass_on_postgres(&[
        "agents::",
        "children::",
        "gates::",
        "hooks::",
        "messages::",
        "moved_folder::",
        "new_ids::",
        "plans::",
        "runs::",
        "supervisor::",
        "tasks::",
    ]);
}

impl Project {
    fn server_database(&self) -> Option<&str> {
        self.url.as_deref().and_then(test_store::database_in)
    }

    fn connection(&self) -> Connection {
        Connection::open(self.app.context.bugle_home.join("bugle.db")).unwrap()
    }

    /// Executes statements in the store's database, to damage or grow it.
    pub(crate) fn sql(&self, statements: &str) {
        match self.server_database() {
            Some(database) => drop(postgres::shared().sql(database, statements)),
            None => self.connection().execute_batch(statements).unwrap(),
        }
    }

    /// Executes a statement that must change exactly one row.
    #[track_caller]
    pub(crate) fn change_row(&self, statement: &str) {
        let changed = match self.server_database() {
            Some(database) => {
                let rows = postgres::shared().sql(database, &format!("{statement} RETURNING 1"));
                rows.lines().count()
            }
            None => self.connection().execute(statement, []).unwrap(),
        };
        assert_eq!(changed, 1, "{statement}");
    }
}
