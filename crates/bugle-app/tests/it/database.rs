//! Direct access to the store's file, to damage or grow it.

use rusqlite::Connection;

use crate::project::Project;

impl Project {
    fn connection(&self) -> Connection {
        Connection::open(self.app.context.bugle_home.join("bugle.db")).unwrap()
    }

    /// Executes statements.
    pub(crate) fn sql(&self, statements: &str) {
        self.connection().execute_batch(statements).unwrap();
    }

    /// Executes a statement that must change exactly one row.
    #[track_caller]
    pub(crate) fn change_row(&self, statement: &str) {
        let changed = self.connection().execute(statement, []).unwrap();
        assert_eq!(changed, 1, "{statement}");
    }
}
