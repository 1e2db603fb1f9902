//! A log of executed statements, for tests that limit how much a command reads.

use crate::row::Value;

/// An executed statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedStatement {
    /// The statement.
    pub text: String,
    /// The statement's parameters.
    pub parameters: String,
    /// The statement's cost in the engine's own unit: virtual machine instructions for `SQLite`.
    pub steps: u64,
    /// The number of the round trip that carried the statement, counted since the store was opened; 0 for a file.
    pub round_trip: u64,
}

impl LoggedStatement {
    pub(crate) fn new(text: &str, parameters: &[Value], steps: i32) -> Self {
        Self {
            text: text.to_owned(),
            parameters: format!("{parameters:?}"),
            steps: u64::try_from(steps).unwrap_or(0),
            round_trip: 0,
        }
    }
}
