//! Query values and rows.

use std::sync::Arc;

use crate::StoreError;

/// A value in a row or a parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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

/// A result row. Its columns are read by name.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    columns: Arc<[String]>,
    values: Vec<Value>,
}

impl Row {
    pub(crate) fn new(columns: Arc<[String]>, values: Vec<Value>) -> Self {
        Self { columns, values }
    }

    /// Builds a row from values. `columns` is a comma-separated list of names, as in a statement.
    pub(crate) fn of(columns: &str, values: Vec<Value>) -> Self {
        Self::new(
            columns.split(',').map(|name| name.trim().to_owned()).collect(),
            values,
        )
    }

    /// Splits off the first values.
    pub(crate) fn split(mut self, count: usize) -> (Vec<Value>, Self) {
        let rest = self.values.split_off(count.min(self.values.len()));
        let columns = self.columns.iter().skip(count).cloned().collect();
        (self.values, Self::new(columns, rest))
    }

    fn get(&self, column: &str) -> Option<&Value> {
        let index = self.columns.iter().position(|name| name == column)?;
        self.values.get(index)
    }

    /// A column's value.
    pub(crate) fn value(&self, column: &str) -> Result<&Value, StoreError> {
        self.get(column).ok_or_else(|| self.unexpected(column, "present"))
    }

    fn unexpected(&self, column: &str, expected: &str) -> StoreError {
        StoreError::Unreadable(match self.get(column) {
            Some(value) => format!("column {column} is not {expected}: {value:?}"),
            None => format!("there is no column {column}, only {}", self.columns.join(", ")),
        })
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        match self.get(column) {
            Some(Value::Text(text)) => Ok(text.clone()),
            _ => Err(self.unexpected(column, "text")),
        }
    }

    pub(crate) fn optional_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        match self.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.text(column).map(Some),
        }
    }

    pub(crate) fn int(&self, column: &str) -> Result<i64, StoreError> {
        match self.get(column) {
            Some(Value::Int(number)) => Ok(*number),
            _ => Err(self.unexpected(column, "a number")),
        }
    }

    pub(crate) fn optional_int(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self.get(column) {
            Some(Value::Null) => Ok(None),
            _ => self.int(column).map(Some),
        }
    }

    /// A non-negative number.
    pub(crate) fn unsigned(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.int(column)?).map_err(|_| self.unexpected(column, "a count"))
    }

    /// A small non-negative number.
    pub(crate) fn count(&self, column: &str) -> Result<u32, StoreError> {
        u32::try_from(self.int(column)?).map_err(|_| self.unexpected(column, "a count"))
    }

    pub(crate) fn flag(&self, column: &str) -> Result<bool, StoreError> {
        Ok(self.int(column)? != 0)
    }

    pub(crate) fn bytes(&self, column: &str) -> Result<Vec<u8>, StoreError> {
        match self.get(column) {
            Some(Value::Blob(bytes)) => Ok(bytes.clone()),
            _ => Err(self.unexpected(column, "bytes")),
        }
    }

    /// The values, in the order of the columns.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }
}
