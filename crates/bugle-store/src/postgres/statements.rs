//! Statements: queries, writes, and batches without parameters.

use super::flight::{Answer, Part, Statement};
use super::values::read;
use super::{Postgres, Progress};
use crate::StoreError;
use crate::row::{Row, Value};

/// Maximum number of queued writes, which bounds the memory of a long transaction.
const MAX_QUEUED: usize = 256;

impl Postgres {
    pub(crate) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        match self.run(statement, parameters, false) {
            Ok(Answer::Changed(rows)) => Ok(usize::try_from(rows).unwrap_or(usize::MAX)),
            Ok(Answer::Rows(rows)) => Ok(rows.len()),
            Err(none) => Err(self.explain(none)),
        }
    }

    /// Runs several statements in one round trip, inside a transaction.
    pub(crate) fn execute_all(
        &mut self,
        statements: &[(String, Vec<Value>)],
    ) -> Result<Vec<usize>, StoreError> {
        let statements: Vec<Statement> = statements
            .iter()
            .map(|(statement, parameters)| Statement::new(statement, parameters, false))
            .collect();
        let answers = self.run_all(&statements).map_err(|none| self.explain(none))?;
        let changed = answers.iter().map(|answer| match answer {
            Answer::Changed(rows) => usize::try_from(*rows).unwrap_or(usize::MAX),
            Answer::Rows(rows) => rows.len(),
        });
        Ok(changed.collect())
    }

    pub(crate) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        match self.run(statement, parameters, true) {
            Ok(Answer::Rows(rows)) => read(&rows),
            Ok(Answer::Changed(_)) => Ok(Vec::new()),
            Err(none) => Err(self.explain(none)),
        }
    }

    /// Like [`Self::execute`], for callers that do not need the row count. Inside a transaction, the statement is sent
    /// with the next flight, which then reports the error.
    pub(crate) fn write(&mut self, statement: &str, parameters: &[Value]) -> Result<(), StoreError> {
        let write = Statement::new(statement, parameters, false);
        match &self.transaction {
            Progress::None if self.holds_back => self.hold(vec![write]),
            Progress::None | Progress::Failed => return self.execute(statement, parameters).map(|_| ()),
            Progress::Asked { .. } | Progress::Open => self.queue.push(write),
        }
        if self.queue.len() < MAX_QUEUED {
            return Ok(());
        }
        let sent = self.run_all(&[]);
        sent.map(|_| ()).map_err(|none| self.explain(none))
    }

    /// Runs several queries in one round trip. Outside a transaction, they read one snapshot.
    pub(crate) fn query_all(
        &mut self,
        queries: &[(String, Vec<Value>)],
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut statements = Vec::with_capacity(queries.len());
        for (statement, parameters) in queries {
            statements.push(Statement::new(statement, parameters, true));
        }
        let answers = self.run_all(&statements).map_err(|none| self.explain(none))?;
        answers
            .iter()
            .map(|answer| match answer {
                Answer::Rows(rows) => read(rows),
                Answer::Changed(_) => Ok(Vec::new()),
            })
            .collect()
    }

    /// Runs several statements without parameters, inside a transaction.
    pub(crate) fn batch(&mut self, statements: &str) -> Result<(), StoreError> {
        let begin = match &self.transaction {
            Progress::Asked { begin, .. } => Some(begin.clone()),
            _ => None,
        };
        let queue = std::mem::take(&mut self.queue);
        let parts: Vec<Part<'_>> = begin
            .as_deref()
            .map(Part::Batch)
            .into_iter()
            .chain(queue.iter().map(Part::Statement))
            .chain([Part::Batch(statements)])
            .collect();
        match self.send(&parts, true) {
            Ok(_) => {
                self.transaction = Progress::Open;
                self.has_changes = true;
                Ok(())
            }
            Err(none) => {
                self.transaction = Progress::Failed;
                Err(self.explain(none))
            }
        }
    }

    pub(crate) fn round_trips(&self) -> u64 {
        self.round_trips
    }
}
