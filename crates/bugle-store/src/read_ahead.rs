//! Reads rows before they are needed, so that several independent queries cost only one round trip.
//!
//! A plan calls ordinary queries, which are only recorded. The next query to the server also sends all recorded
//! queries in the same flight, and their rows are cached. A later call of the same query uses the cache. A query that
//! was not planned is sent to the server, which is slower but gives the same result.
//!
//! Only a connection that is opened for one short command reads ahead. Rows that were read outside a transaction are
//! not used inside one. Cached rows are dropped after a write to one of their tables and after a failed transaction.

use std::collections::HashMap;
use std::sync::Arc;

use crate::row::{Row, Value};

/// A statement with its parameters.
pub(crate) type Query = (String, Vec<Value>);

/// A query that selects keys. While a plan is recorded, `stand_ins` replace the query's columns.
#[derive(Debug)]
pub(crate) struct Keys {
    pub query: Query,
    pub stand_ins: Vec<Value>,
}

/// A planned query, to run once, or once for each key.
#[derive(Debug)]
struct Planned {
    query: Query,
    keys: Option<Arc<Keys>>,
}

/// Cached rows, and whether they were read inside the open transaction.
#[derive(Debug)]
struct Kept {
    rows: Vec<Row>,
    in_transaction: bool,
}

/// Rows that were read ahead.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    /// Whether read-ahead is enabled.
    is_on: bool,
    /// Whether queries are recorded now.
    is_recording: bool,
    /// The recorded queries that were not sent yet.
    plan: Vec<Planned>,
    /// The keys for which the plan is being recorded.
    keys: Option<Arc<Keys>>,
    kept: HashMap<Query, Kept>,
}

/// A planned query as it is sent.
#[derive(Debug)]
pub(crate) struct Sent {
    pub query: Query,
    planned: Planned,
}

impl ReadAhead {
    pub(crate) fn turn_on(&mut self) {
        self.is_on = true;
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// Whether there are queries to send.
    pub(crate) fn has_plan(&self) -> bool {
        !self.plan.is_empty()
    }

    pub(crate) fn set_recording(&mut self, is_recording: bool) {
        self.is_recording = is_recording;
    }

    /// Sets the keys for which the next queries are recorded; returns the previous keys.
    pub(crate) fn set_keys(&mut self, keys: Option<Arc<Keys>>) -> Option<Arc<Keys>> {
        std::mem::replace(&mut self.keys, keys)
    }

    pub(crate) fn record(&mut self, statement: &str, parameters: &[Value]) {
        self.plan.push(Planned {
            query: (statement.to_owned(), parameters.to_vec()),
            keys: self.keys.clone(),
        });
    }

    /// Removes and returns the queries to send, without duplicates and without queries whose rows are cached.
    pub(crate) fn take_plan(&mut self, in_transaction: bool) -> Vec<Sent> {
        let mut all: Vec<Sent> = Vec::new();
        for planned in std::mem::take(&mut self.plan) {
            let query = match &planned.keys {
                Some(keys) => for_each_key(&planned.query, keys),
                None => planned.query.clone(),
            };
            let is_known =
                self.rows(&query, in_transaction).is_some() || all.iter().any(|sent| sent.query == query);
            if !is_known {
                all.push(Sent { query, planned });
            }
        }
        all
    }

    /// Caches the rows of a query.
    pub(crate) fn keep(&mut self, sent: Sent, rows: Vec<Row>, in_transaction: bool) {
        let Planned { query, keys } = sent.planned;
        let mut keep = |query: Query, rows: Vec<Row>| {
            self.kept.insert(query, Kept { rows, in_transaction });
        };
        let Some(keys) = keys else {
            return keep(query, rows);
        };
        let width = keys.stand_ins.len();
        let mut by_key: Vec<(Vec<Value>, Vec<Row>)> = Vec::new();
        for row in rows {
            let (key, found) = row.split(width);
            if by_key.last().is_none_or(|(last, _)| *last != key) {
                by_key.push((key, Vec::new()));
            }
            // The first value after the key is the row's number, or NULL for a key without rows.
            let (number, found) = found.split(1);
            if number != [Value::Null]
                && let Some((_, rows)) = by_key.last_mut()
            {
                rows.push(found);
            }
        }
        let (statement, parameters) = query;
        for (key, rows) in by_key {
            let parameters = parameters.iter().map(|parameter| {
                let place = keys.stand_ins.iter().position(|stand_in| stand_in == parameter);
                place.map_or_else(|| parameter.clone(), |place| key[place].clone())
            });
            keep((statement.clone(), parameters.collect()), rows);
        }
    }

    /// The cached rows of a query. Inside a transaction, uses only rows that were read in the same transaction.
    pub(crate) fn take(
        &self,
        statement: &str,
        parameters: &[Value],
        in_transaction: bool,
    ) -> Option<Vec<Row>> {
        if self.kept.is_empty() {
            return None;
        }
        let query = (statement.to_owned(), parameters.to_vec());
        self.rows(&query, in_transaction).cloned()
    }

    fn rows(&self, query: &Query, in_transaction: bool) -> Option<&Vec<Row>> {
        let kept = self.kept.get(query)?;
        (kept.in_transaction == in_transaction).then_some(&kept.rows)
    }

    pub(crate) fn forget(&mut self) {
        self.kept.clear();
    }

    /// Drops the cached rows of a table to which a statement writes.
    pub(crate) fn forget_written(&mut self, statement: &str) {
        if self.kept.is_empty() {
            return;
        }
        let words = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
        let table = words.iter().find_map(|word| statement.strip_prefix(word));
        match table.and_then(|rest| rest.split(' ').next()) {
            Some(table) => self.kept.retain(|(statement, _), _| !reads(statement, table)),
            None => self.kept.clear(),
        }
    }

    /// Drops the rows that were read inside the transaction. If the transaction failed, drops all rows, because
    /// another process may have changed them.
    pub(crate) fn end_transaction(&mut self, has_failed: bool) {
        self.kept.retain(|_, kept| !has_failed && !kept.in_transaction);
    }
}

/// Whether a statement reads a table: `FROM table` or `JOIN table`.
fn reads(statement: &str, table: &str) -> bool {
    let words = || statement.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    let mut pairs = words().zip(words().skip(1));
    pairs.any(|(before, word)| matches!(before, "FROM" | "JOIN") && word == table)
}

/// A query that runs another query for each key. Returns the key's columns, the row's number, and the row.
fn for_each_key(query: &Query, keys: &Keys) -> Query {
    let (statement, parameters) = query;
    let (select, all) = &keys.query;
    let mut all = all.clone();
    let mut inner = statement.clone();
    // Replace from the last parameter to the first, because $1 is a prefix of $10.
    for (index, parameter) in parameters.iter().enumerate().rev() {
        let place = keys.stand_ins.iter().position(|stand_in| stand_in == parameter);
        let value = if let Some(place) = place {
            format!("key.key_{place}")
        } else {
            all.push(parameter.clone());
            format!("${}", all.len())
        };
        inner = inner.replace(&format!("${}", index + 1), &value.replace('$', "\u{1}"));
    }
    let inner = inner.replace('\u{1}', "$");
    let columns: Vec<String> = (0..keys.stand_ins.len())
        .map(|place| format!("key_{place}"))
        .collect();
    let columns = columns.join(", ");
    let text = format!(
        "SELECT {columns}, found.* FROM (SELECT DISTINCT * FROM ({select}) AS each_key) AS key ({columns}) \
         LEFT JOIN LATERAL (SELECT row_number() OVER () AS row_number, inside.* FROM ({inner}) AS inside) AS found \
         ON TRUE ORDER BY {columns}, row_number"
    );
    (text, all)
}
