//! Copies a whole store into another database, on the same engine or on another.
//!
//! A copy compares both databases row by row in key order, and changes only rows that differ. So an interrupted copy
//! continues where it stopped, and a second copy transfers only the rows that have changed since the first.
//!
//! Until the copy is finished, the target's schema version is negative, and no other process can open it as a store.

mod backup;
mod export;
mod table;

use std::cmp::Ordering;
use std::path::Path;

use self::table::{Cursor, Table, compare_keys, size};
use crate::connection::Connection;
use crate::engine::Engine;
use crate::postgres::{ConnectionDefaults, Postgres};
use crate::row::{Row, Value};
use crate::schema::{MIGRATIONS, migrate};
use crate::sqlite::{Patience, Sqlite};
use crate::write_scope::WriteScope;
use crate::{Durability, MachineId, Store, StoreError};

/// The number of rows between two progress reports.
const REPORT_INTERVAL: u64 = 10_000;
/// The total size of the rows written in one transaction.
const MAX_WRITE_BYTES: usize = 4 << 20;

/// Tables that belong to the database, not to the store's history: `bugle store init` and `bugle team add` write them
/// before a store is copied into the database. A copy adds rows to these tables, but changes and removes none.
const KEPT_TABLES: [&str; 3] = ["machine", "member", "member_project"];

/// How many rows of a table were copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopiedTable {
    /// The table.
    pub table: String,
    /// The number of rows in the source.
    pub rows: u64,
    /// The number of rows that the copy wrote or removed.
    pub changes: u64,
}

/// The schema version of a finished store.
fn finished_version() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

impl Store {
    /// Opens a file as the target of a copy.
    pub fn open_copy(file: &Path) -> Result<Self, StoreError> {
        let sqlite = Sqlite::connect(file, Durability::Full, Patience::Migration)?;
        Ok(Self {
            connection: Connection::new(Engine::Sqlite(sqlite)),
            machine: MachineId::default(),
        })
    }

    /// Opens a Postgres database as the target of a copy.
    pub fn open_copy_url(url: &str, defaults: &dyn ConnectionDefaults) -> Result<Self, StoreError> {
        let postgres = Postgres::connect(url, defaults, Durability::Full, Patience::Migration)?;
        Ok(Self {
            connection: Connection::new(Engine::Postgres(Box::new(postgres))),
            machine: MachineId::default(),
        })
    }

    /// Prepares a database as the target of a copy. The database must be empty, contain only a team, or contain an
    /// unfinished copy. Refuses a database that is already a store.
    pub fn begin_copy(&mut self) -> Result<(), StoreError> {
        let db = &mut self.connection;
        // Outside a transaction, this also finds another program's tables.
        db.engine().schema_version()?;
        db.engine().ignore_references()?;
        db.transaction_in(WriteScope::Store, |db| {
            let found = db.engine().schema_version()?;
            let finished = finished_version();
            if found == 0 {
                migrate(db, MIGRATIONS, &mut |_| ())?;
            } else if found > finished {
                return Err(StoreError::Newer {
                    database: db.engine().name(),
                    found,
                    known: finished,
                });
            } else if found == finished {
                refuse_rows(db)?;
            } else if found != -finished {
                return Err(no_copy(
                    db,
                    "the database contains an older store, or an unfinished copy of a store from another version",
                ));
            }
            db.engine().set_schema_version(-finished)?;
            db.engine().drop_references()
        })
    }

    /// Makes a target's rows equal to those of the source, which should be in a snapshot.
    pub fn copy_from(
        &mut self,
        source: &mut Self,
        report: &mut dyn FnMut(&str),
    ) -> Result<Vec<CopiedTable>, StoreError> {
        let target = &mut self.connection;
        let mut copied = Vec::new();
        for table in shared_tables(&mut source.connection, target)? {
            let mut copy = TableCopy::new(&table, report);
            if !is_kept(&table) && (!table.is_empty(target)? || table.name == "chain") {
                copy.remove_stale(&mut source.connection, target)?;
            }
            copy.add_missing(&mut source.connection, target)?;
            copied.push(CopiedTable {
                rows: copy.rows,
                changes: copy.changes,
                table: table.name.clone(),
            });
        }
        Ok(copied)
    }

    /// Restores the target's foreign keys. Fails if a row refers to a missing row.
    pub fn check_copy(&mut self) -> Result<(), StoreError> {
        let db = &mut self.connection;
        db.transaction_in(WriteScope::Store, |db| db.engine().restore_references())
    }

    /// The first table whose rows differ between this store and another.
    pub fn first_difference(&mut self, other: &mut Self) -> Result<Option<String>, StoreError> {
        difference(&mut self.connection, &mut other.connection)
    }

    /// Whether `other` is a finished copy of this store, in which this machine's id is `machine`.
    pub fn is_copied_to(&mut self, other: &mut Self, machine: &MachineId) -> Result<bool, StoreError> {
        let (source, from) = (&mut self.connection, &self.machine);
        let copy = &mut other.connection;
        copy.begin(WriteScope::Store)?;
        let found = rename_machine(copy, machine, from).and_then(|()| difference(source, copy));
        copy.roll_back();
        Ok(found?.is_none())
    }

    /// Turns a complete copy into a store, and renames the machine `from` to `to`. A file has only one machine, whose
    /// id is empty.
    pub fn finish_copy(&mut self, from: &MachineId, to: &MachineId) -> Result<(), StoreError> {
        let db = &mut self.connection;
        db.transaction_in(WriteScope::Store, |db| {
            rename_machine(db, from, to)?;
            db.engine().set_schema_version(finished_version())
        })
    }

    /// Raises this connection's timeouts to suit a long copy.
    pub fn expect_slow_statements(&mut self) -> Result<(), StoreError> {
        self.connection.engine().wait_for_writers(Patience::Migration)
    }
}

/// Renames a machine in every table.
fn rename_machine(db: &mut Connection, from: &MachineId, to: &MachineId) -> Result<(), StoreError> {
    for table in Table::all(db)? {
        if from != to && table.columns.iter().any(|column| column == "machine") {
            let statement = format!("UPDATE {} SET machine = $1 WHERE machine = $2", table.name);
            db.write(&statement, &[to.as_str().into(), from.as_str().into()])?;
        }
    }
    Ok(())
}

/// The first table whose rows differ between two databases.
fn difference(source: &mut Connection, target: &mut Connection) -> Result<Option<String>, StoreError> {
    for table in shared_tables(source, target)? {
        let mut is_equal = true;
        merge(&table, source, target, |_, _, pair| {
            is_equal &= match pair {
                Pair::Same => true,
                Pair::Differs(..) | Pair::OnlyTarget(_) => is_kept(&table),
                Pair::OnlySource(_) => false,
            };
            Ok(is_equal)
        })?;
        if !is_equal {
            return Ok(Some(table.name));
        }
    }
    Ok(None)
}

fn is_kept(table: &Table) -> bool {
    KEPT_TABLES.contains(&table.name.as_str())
}

fn no_copy(db: &mut Connection, why: &str) -> StoreError {
    StoreError::NoCopy {
        database: db.engine().name(),
        why: why.to_owned(),
    }
}

fn refuse_rows(db: &mut Connection) -> Result<(), StoreError> {
    for table in Table::all(db)? {
        if !is_kept(&table) && !table.is_empty(db)? {
            return Err(no_copy(db, "the database already contains a store"));
        }
    }
    Ok(())
}

/// The tables of both databases, which must be the same.
fn shared_tables(source: &mut Connection, target: &mut Connection) -> Result<Vec<Table>, StoreError> {
    let (tables, others) = (Table::all(source)?, Table::all(target)?);
    let unlike = |table: &&Table| {
        let other = others.iter().find(|other| other.name == table.name);
        other.is_none_or(|other| {
            let mut columns = table.columns.iter();
            other.key != table.key || columns.any(|column| !other.columns.contains(column))
        })
    };
    if let Some(table) = tables.iter().find(unlike) {
        let why = format!(
            "the columns of table {} differ from the columns in the source",
            table.name
        );
        return Err(no_copy(target, &why));
    }
    Ok(tables)
}

/// A row in both databases, or in one of them.
enum Pair {
    Same,
    Differs(Row, Row),
    OnlySource(Row),
    OnlyTarget(Row),
}

/// Reads a table from both databases in key order. `each` returns whether to continue.
fn merge(
    table: &Table,
    source: &mut Connection,
    target: &mut Connection,
    mut each: impl FnMut(&mut Connection, &mut Connection, Pair) -> Result<bool, StoreError>,
) -> Result<(), StoreError> {
    let (mut left, mut right) = (Cursor::new(table), Cursor::new(table));
    let (mut one, mut other) = (left.next(source)?, right.next(target)?);
    loop {
        let order = match (&one, &other) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => compare_keys(&table.key_of(one)?, &table.key_of(other)?),
        };
        let (row, stored) = match order {
            Ordering::Less => (one.take(), None),
            Ordering::Greater => (None, other.take()),
            Ordering::Equal => (one.take(), other.take()),
        };
        let (takes_one, takes_other) = (row.is_some(), stored.is_some());
        let pair = match (row, stored) {
            (Some(row), Some(stored)) if row.values() == stored.values() => Pair::Same,
            (Some(row), Some(stored)) => Pair::Differs(row, stored),
            (Some(row), None) => Pair::OnlySource(row),
            (None, Some(stored)) => Pair::OnlyTarget(stored),
            (None, None) => return Ok(()),
        };
        if !each(source, target, pair)? {
            return Ok(());
        }
        if takes_one {
            one = left.next(source)?;
        }
        if takes_other {
            other = right.next(target)?;
        }
    }
}

/// The copy of one table.
struct TableCopy<'a> {
    table: &'a Table,
    report: &'a mut dyn FnMut(&str),
    waiting: Vec<Row>,
    waiting_bytes: usize,
    rows: u64,
    changes: u64,
}

impl<'a> TableCopy<'a> {
    fn new(table: &'a Table, report: &'a mut dyn FnMut(&str)) -> Self {
        Self {
            table,
            report,
            waiting: Vec::new(),
            waiting_bytes: 0,
            rows: 0,
            changes: 0,
        }
    }

    /// Removes every row of the target that is missing or different in the source. All removals come before the first
    /// insert, because two rows may have swapped a unique value.
    fn remove_stale(&mut self, source: &mut Connection, target: &mut Connection) -> Result<(), StoreError> {
        let table = self.table;
        let delete = table.delete();
        merge(table, source, target, |_, target, pair| {
            if let Pair::Differs(_, row) | Pair::OnlyTarget(row) = pair {
                self.changes += 1;
                target.execute(&delete, &table.key_of(&row)?)?;
            }
            Ok(true)
        })
    }

    /// Adds the source's rows that the target does not have.
    fn add_missing(&mut self, source: &mut Connection, target: &mut Connection) -> Result<(), StoreError> {
        let table = self.table;
        merge(table, source, target, |_, target, pair| {
            match pair {
                Pair::Same => self.rows += 1,
                Pair::Differs(..) if is_kept(table) => {}
                Pair::OnlySource(row) | Pair::Differs(row, _) => {
                    self.rows += 1;
                    self.changes += 1;
                    self.waiting_bytes += size(&row);
                    self.waiting.push(row);
                }
                Pair::OnlyTarget(_) => {}
            }
            if self.rows.is_multiple_of(REPORT_INTERVAL) {
                (self.report)(&format!("Copying {}: {} rows", table.name, self.rows));
            }
            if self.waiting.len() >= table.rows_per_statement() || self.waiting_bytes > MAX_WRITE_BYTES {
                self.write(target)?;
            }
            Ok(true)
        })?;
        self.write(target)
    }

    /// Writes the buffered rows in one statement.
    fn write(&mut self, target: &mut Connection) -> Result<(), StoreError> {
        let rows = std::mem::take(&mut self.waiting);
        self.waiting_bytes = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let values: Vec<Value> = rows.iter().flat_map(|row| row.values().to_vec()).collect();
        target
            .execute(&self.table.insert(rows.len()), &values)
            .map(drop)
            .map_err(|error| self.explain(error))
    }

    /// Names the table of a value that the target cannot store.
    fn explain(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Unstorable { database, why } => StoreError::Unstorable {
                database,
                why: format!("{why} (in the table {})", self.table.name),
            },
            other => other,
        }
    }
}
