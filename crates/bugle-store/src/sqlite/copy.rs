//! The target of a copy: foreign keys are not enforced while rows arrive in any order, and checked afterwards.

use super::Sqlite;
use crate::StoreError;
use crate::row::Row;

const COLUMNS: &str = "SELECT m.name AS table_name, c.name AS column_name, c.pk AS key_place \
     FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c \
     WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY m.name, c.cid";

impl Sqlite {
    /// The columns of all tables, sorted by table.
    pub(crate) fn columns(&mut self) -> Result<Vec<Row>, StoreError> {
        self.query(COLUMNS, &[])
    }

    /// Stops enforcing foreign keys on this connection, outside a transaction.
    pub(crate) fn ignore_references(&mut self) -> Result<(), StoreError> {
        self.batch("PRAGMA foreign_keys = OFF")
    }

    /// Checks all foreign keys.
    pub(crate) fn check_references(&mut self) -> Result<(), StoreError> {
        match self.query("PRAGMA foreign_key_check", &[])?.first() {
            None => Ok(()),
            Some(row) => Err(StoreError::NoCopy {
                database: self.name(),
                why: format!(
                    "a row of {} refers to a row that does not exist",
                    row.text("table")?
                ),
            }),
        }
    }
}
