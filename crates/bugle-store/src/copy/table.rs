//! The store's tables, read from the schema so that a copy cannot miss one.

use std::cmp::Ordering;

use crate::StoreError;
use crate::connection::Connection;
use crate::row::{Row, Value};

/// A table to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    /// The columns of the primary key.
    pub(super) key: Vec<String>,
}

impl Table {
    /// All tables of a store, sorted by name. The engine's own tables are not part of the store.
    pub(super) fn all(db: &mut Connection) -> Result<Vec<Self>, StoreError> {
        db.engine().refuse_hidden_rows()?;
        let mut tables: Vec<Self> = Vec::new();
        let mut keys: Vec<(i64, String)> = Vec::new();
        for row in db.engine().columns()? {
            let (name, column) = (row.text("table_name")?, row.text("column_name")?);
            if tables.last().is_none_or(|last| last.name != name) {
                finish(&mut tables, &mut keys);
                tables.push(Self {
                    name,
                    columns: Vec::new(),
                    key: Vec::new(),
                });
            }
            let place = row.int("key_place")?;
            if place > 0 {
                keys.push((place, column.clone()));
            }
            if let Some(table) = tables.last_mut() {
                table.columns.push(column);
            }
        }
        finish(&mut tables, &mut keys);
        match tables.iter().find(|table| table.key.is_empty()) {
            Some(table) => Err(StoreError::Unreadable(format!(
                "the table {} has no primary key",
                table.name
            ))),
            None => Ok(tables),
        }
    }

    /// Whether the table has no rows. Ignores chains without links.
    pub(super) fn is_empty(&self, db: &mut Connection) -> Result<bool, StoreError> {
        let condition = match self.name.as_str() {
            "chain" => " WHERE length > 0",
            _ => "",
        };
        let statement = format!("SELECT 1 AS found FROM {}{condition} LIMIT 1", self.name);
        Ok(db.query(&statement, &[])?.is_empty())
    }

    /// A row's key.
    pub(super) fn key_of(&self, row: &Row) -> Result<Vec<Value>, StoreError> {
        self.key.iter().map(|column| row.value(column).cloned()).collect()
    }

    /// The number of rows that fit in one statement: `SQLite` allows 32,766 parameters.
    pub(super) fn rows_per_statement(&self) -> usize {
        (30_000 / self.columns.len().max(1)).clamp(1, 1000)
    }

    /// The statement that inserts this many rows.
    pub(super) fn insert(&self, rows: usize) -> String {
        let width = self.columns.len();
        let row = |first: usize| format!("({})", placeholders(first, width));
        let rows: Vec<String> = (0..rows).map(|number| row(number * width + 1)).collect();
        format!(
            "INSERT INTO {} ({}) VALUES {}",
            self.name,
            self.columns.join(", "),
            rows.join(", ")
        )
    }

    /// The statement that deletes a row by its key.
    pub(super) fn delete(&self) -> String {
        let conditions: Vec<String> = self
            .key
            .iter()
            .zip(1..)
            .map(|(column, number)| format!("{column} = ${number}"))
            .collect();
        format!("DELETE FROM {} WHERE {}", self.name, conditions.join(" AND "))
    }
}

/// Sets the key of the last table, with its columns in key order.
fn finish(tables: &mut [Table], keys: &mut Vec<(i64, String)>) {
    keys.sort();
    if let Some(table) = tables.last_mut() {
        table.key = keys.drain(..).map(|(_, column)| column).collect();
    }
}

/// A list of `count` placeholders, starting with `$first`.
fn placeholders(first: usize, count: usize) -> String {
    let numbers: Vec<String> = (first..first + count)
        .map(|number| format!("${number}"))
        .collect();
    numbers.join(", ")
}

/// Reads a table in key order, a few rows at a time.
pub(super) struct Cursor<'a> {
    table: &'a Table,
    rows: std::vec::IntoIter<Row>,
    /// The key of the last fetched row.
    last: Option<Vec<Value>>,
    limit: usize,
    is_finished: bool,
}

/// The number of rows of the first fetch. Later fetches adapt to the size of the rows.
const FIRST_FETCH: usize = 32;
const MAX_FETCH: usize = 1000;
/// The next fetch reads more rows if a fetch is smaller than `ENOUGH_BYTES`, and fewer if it is larger than
/// `MAX_BYTES`.
const ENOUGH_BYTES: usize = 1 << 20;
const MAX_BYTES: usize = 4 << 20;

impl<'a> Cursor<'a> {
    pub(super) fn new(table: &'a Table) -> Self {
        Self {
            table,
            rows: Vec::new().into_iter(),
            last: None,
            limit: FIRST_FETCH,
            is_finished: false,
        }
    }

    /// The next row.
    pub(super) fn next(&mut self, db: &mut Connection) -> Result<Option<Row>, StoreError> {
        if let Some(row) = self.rows.next() {
            return Ok(Some(row));
        }
        if self.is_finished {
            return Ok(None);
        }
        let rows = self.fetch(db)?;
        self.is_finished = rows.len() < self.limit;
        if let Some(row) = rows.last() {
            self.last = Some(self.table.key_of(row)?);
        }
        let bytes: usize = rows.iter().map(size).sum();
        if bytes > MAX_BYTES {
            self.limit = (self.limit / 2).max(1);
        } else if bytes < ENOUGH_BYTES {
            self.limit = (self.limit * 2).min(MAX_FETCH);
        }
        self.rows = rows.into_iter();
        Ok(self.rows.next())
    }

    fn fetch(&self, db: &mut Connection) -> Result<Vec<Row>, StoreError> {
        let Table { name, columns, key } = self.table;
        let (columns, order) = (columns.join(", "), key.join(", "));
        let after = match self.last {
            Some(_) => format!(" WHERE ({order}) > ({})", placeholders(1, key.len())),
            None => String::new(),
        };
        let statement = format!(
            "SELECT {columns} FROM {name}{after} ORDER BY {order} LIMIT {}",
            self.limit
        );
        db.query(&statement, self.last.as_deref().unwrap_or_default())
    }
}

/// A row's approximate size in bytes.
pub(super) fn size(row: &Row) -> usize {
    let values = row.values().iter();
    values
        .map(|value| match value {
            Value::Null | Value::Int(_) => 8,
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
        })
        .sum()
}

/// Compares two keys in the order of the database: numbers by value, text by code point.
pub(super) fn compare_keys(one: &[Value], other: &[Value]) -> Ordering {
    let orders = one.iter().zip(other).map(|(one, other)| match (one, other) {
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        (Value::Text(one), Value::Text(other)) => one.as_bytes().cmp(other.as_bytes()),
        (Value::Blob(one), Value::Blob(other)) => one.cmp(other),
        (Value::Null, Value::Null) => Ordering::Equal,
        (one, other) => rank(one).cmp(&rank(other)),
    });
    orders.fold(Ordering::Equal, Ordering::then)
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Int(_) => 1,
        Value::Text(_) => 2,
        Value::Blob(_) => 3,
    }
}
