//! The target of a copy: its foreign keys are removed while rows arrive in any order, and restored afterwards. The
//! table `bugle_copy` records the removed keys, so that an interrupted copy can continue.

use super::Postgres;
use super::rights::{FORGET_PERSON, RECORD_PERSON};
use crate::StoreError;
use crate::row::Row;

/// Selects the columns of the store's tables. Tables with the prefix `bugle_` belong to the engine.
const COLUMNS: &str = "SELECT c.relname AS table_name, a.attname AS column_name, \
     COALESCE(array_position(i.indkey::int2[], a.attnum) + 1, 0) AS key_place \
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema() \
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
     LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary \
     WHERE c.relkind = 'r' AND NOT starts_with(c.relname::text, 'bugle_') ORDER BY c.relname, a.attnum";

const REFERENCES: &str = "SELECT c.relname AS table_name, r.conname AS name, pg_get_constraintdef(r.oid) AS definition \
     FROM pg_constraint r JOIN pg_class c ON c.oid = r.conrelid \
     JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = current_schema() \
     WHERE r.contype = 'f' ORDER BY c.relname, r.conname";

const REMOVED: &str = "SELECT table_name, name, definition FROM bugle_copy ORDER BY table_name, name";

/// A foreign key of a table.
struct Reference {
    table: String,
    name: String,
    definition: String,
}

impl Postgres {
    /// The columns of all tables, sorted by table.
    pub(crate) fn columns(&mut self) -> Result<Vec<Row>, StoreError> {
        self.query(COLUMNS, &[])
    }

    /// Until the transaction ends, makes queries fail instead of skipping rows that row-level security hides.
    pub(crate) fn refuse_hidden_rows(&mut self) -> Result<(), StoreError> {
        if !self.in_transaction() {
            return Ok(());
        }
        let has_changes = self.has_changes;
        let done = self.batch("SET LOCAL row_security = off");
        self.has_changes = has_changes;
        done
    }

    /// Removes all foreign keys, inside a transaction.
    pub(crate) fn drop_references(&mut self) -> Result<(), StoreError> {
        self.batch(
            "CREATE TABLE IF NOT EXISTS bugle_copy (table_name TEXT, name TEXT, definition TEXT, \
             PRIMARY KEY (table_name, name))",
        )?;
        for Reference {
            table,
            name,
            definition,
        } in self.references(REFERENCES)?
        {
            let values = [
                table.as_str().into(),
                name.as_str().into(),
                definition.as_str().into(),
            ];
            self.execute(
                "INSERT INTO bugle_copy (table_name, name, definition) VALUES ($1, $2, $3)",
                &values,
            )?;
            self.batch(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}"))?;
        }
        // The copied rows must keep the person that the source recorded, even if it recorded none.
        self.batch(FORGET_PERSON)
    }

    /// Restores the removed foreign keys, inside a transaction, and updates the statistics of the tables.
    pub(crate) fn restore_references(&mut self) -> Result<(), StoreError> {
        for Reference {
            table,
            name,
            definition,
        } in self.references(REMOVED)?
        {
            self.batch(&format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}"))?;
        }
        self.batch(RECORD_PERSON)?;
        self.batch("DROP TABLE bugle_copy; ANALYZE")
    }

    fn references(&mut self, statement: &str) -> Result<Vec<Reference>, StoreError> {
        let rows = self.query(statement, &[])?;
        rows.iter()
            .map(|row| {
                Ok(Reference {
                    table: row.text("table_name")?,
                    name: row.text("name")?,
                    definition: row.text("definition")?,
                })
            })
            .collect()
    }
}
