//! The little that the store needs of a database engine. Statements number their parameters `$1`, `$2`, ...

use crate::{Durability, StoreError};

/// A value in a row or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// No value.
    Null,
    /// A whole number.
    Int(i64),
    /// Text.
    Text(String),
    /// Bytes.
    Blob(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Option<&str>> for Value {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }
}

/// A row of an answer.
#[derive(Debug, Clone)]
pub(crate) struct Row(pub Vec<Value>);

impl Row {
    pub(crate) fn text(&self, column: usize) -> Result<String, StoreError> {
        match self.0.get(column) {
            Some(Value::Text(text)) => Ok(text.clone()),
            other => Err(StoreError::Unreadable(format!(
                "column {column} is not text: {other:?}"
            ))),
        }
    }

    pub(crate) fn optional_text(&self, column: usize) -> Result<Option<String>, StoreError> {
        match self.0.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.text(column).map(Some),
        }
    }

    pub(crate) fn count(&self, column: usize) -> Result<u32, StoreError> {
        let number = self.int(column)?;
        u32::try_from(number)
            .map_err(|_| StoreError::Unreadable(format!("column {column} is not a count: {number}")))
    }

    pub(crate) fn int(&self, column: usize) -> Result<i64, StoreError> {
        match self.0.get(column) {
            Some(Value::Int(number)) => Ok(*number),
            other => Err(StoreError::Unreadable(format!(
                "column {column} is not a number: {other:?}"
            ))),
        }
    }

    pub(crate) fn bytes(&self, column: usize) -> Result<Vec<u8>, StoreError> {
        match self.0.get(column) {
            Some(Value::Blob(bytes)) => Ok(bytes.clone()),
            other => Err(StoreError::Unreadable(format!(
                "column {column} is not bytes: {other:?}"
            ))),
        }
    }
}

/// A connection to a database engine.
pub(crate) trait Sql {
    /// Runs a statement; says how many rows it changed.
    fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError>;

    /// Runs a query.
    fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// Runs several statements without parameters.
    fn batch(&mut self, statements: &str) -> Result<(), StoreError>;

    /// Has all queries from now on see the database as it is at this moment, until `let_go` or until something is written:
    /// that is cheaper for many queries, and what they say fits together.
    fn hold_still(&mut self) -> Result<(), StoreError>;

    /// Lets queries see what others write again.
    fn let_go(&mut self) -> Result<(), StoreError>;

    /// Begins a transaction that may write.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Makes the transaction last.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Forgets the transaction.
    fn rollback(&mut self);

    /// Has commits survive this from now on, and says what they survived until now. A transaction that is open stays as it
    /// is.
    fn set_durability(&mut self, durability: Durability) -> Result<Durability, StoreError>;

    /// The version of the schema that is there; 0 for an empty database.
    fn schema_version(&mut self) -> Result<i64, StoreError>;

    /// Notes the version of the schema, inside a transaction.
    fn set_schema_version(&mut self, version: i64) -> Result<(), StoreError>;

    /// A number that is another one after another connection has written.
    fn changes(&mut self) -> Result<i64, StoreError>;

    /// What the engine itself finds wrong with its file.
    fn integrity(&mut self) -> Result<Vec<String>, StoreError>;

    /// Keeps a checked backup of the database, inside the transaction that changes its schema.
    fn back_up(&mut self, version: i64) -> Result<(), StoreError>;
}

/// Does `work` in one transaction: all of it lasts, or none. Inside another one it is a part of that.
pub(crate) fn transaction<S: Sql, T>(
    sql: &mut S,
    work: impl FnOnce(&mut S) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    sql.begin()?;
    match work(sql) {
        Ok(value) => {
            if let Err(error) = sql.commit() {
                sql.rollback();
                return Err(error);
            }
            Ok(value)
        }
        Err(error) => {
            sql.rollback();
            Err(error)
        }
    }
}
