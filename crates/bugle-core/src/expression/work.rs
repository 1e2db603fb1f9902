//! The bound on the work of an evaluation.

use super::EvaluationError;
use super::datum::Datum;

/// How deep lists may nest where they are compared or handed out, both of which recurse.
pub(super) const MAX_DEPTH: usize = 128;

/// What it costs to compile a pattern.
pub(super) const COMPILING: usize = 5_000;

/// Scanning this many bytes of text costs as much as visiting a node.
const BYTES_PER_UNIT: usize = 64;

/// How much work is left: about one unit a node visited or an item touched.
///
/// Nested macros multiply, so that a short source could otherwise ask for hours.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Default for Work {
    fn default() -> Self {
        Self(1_000_000)
    }
}

impl Work {
    /// Pays for work. Once it is used up nothing succeeds, so no `||` can absorb the error.
    pub(super) fn pay(&mut self, units: usize) -> Result<(), EvaluationError> {
        let left = self.0.checked_sub(units);
        self.0 = left.unwrap_or(0);
        left.map(drop).ok_or(EvaluationError::TooMuchWork)
    }
}

/// What it costs to read through a text.
pub(super) fn scanned(value: &Datum<'_>) -> usize {
    match value {
        Datum::Text(text) => text.as_str().len() / BYTES_PER_UNIT,
        _ => 0,
    }
}

/// What it costs to copy a value into a longer one.
pub(super) fn copied(value: &Datum<'_>) -> usize {
    match value {
        Datum::List(list) => list.len(),
        other => scanned(other),
    }
}
