//! A log of the statements that a store runs, for tests that bound what a command reads.

use crate::row::Value;

/// A statement as it was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedStatement {
    /// The statement.
    pub text: String,
    /// Its parameters.
    pub parameters: String,
    /// How much work it was, in the engine's own unit: for `SQLite`, instructions of its virtual machine.
    pub steps: u64,
}

impl LoggedStatement {
    pub(crate) fn new(text: &str, parameters: &[Value], steps: i32) -> Self {
        Self {
            text: text.to_owned(),
            parameters: format!("{parameters:?}"),
            steps: u64::try_from(steps).unwrap_or(0),
        }
    }
}
