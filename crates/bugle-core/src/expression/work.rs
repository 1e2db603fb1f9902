//! The work limit for an evaluation.

use super::EvaluationError;
use super::datum::Datum;

/// Maximum nesting depth of lists in comparisons and results, both of which are recursive.
pub(super) const MAX_DEPTH: usize = 128;

/// The cost of compiling a pattern.
pub(super) const COMPILING: usize = 5_000;

/// Scanning this many bytes costs as much as visiting a node.
const BYTES_PER_UNIT: usize = 64;

/// The remaining work: about one unit per visited node or item.
///
/// Nested macros multiply, so without a limit a short source could run for hours.
#[derive(Debug)]
pub(super) struct Work(usize);

impl Default for Work {
    fn default() -> Self {
        Self(1_000_000)
    }
}

impl Work {
    /// Spends work. Once the limit is reached, every later call fails too, so no `||` can absorb the error.
    pub(super) fn pay(&mut self, units: usize) -> Result<(), EvaluationError> {
        let left = self.0.checked_sub(units);
        self.0 = left.unwrap_or(0);
        left.map(drop).ok_or(EvaluationError::TooMuchWork)
    }
}

/// The cost of reading a string.
pub(super) fn scanned(value: &Datum<'_>) -> usize {
    match value {
        Datum::Text(text) => text.as_str().len() / BYTES_PER_UNIT,
        _ => 0,
    }
}

/// The cost of copying a string or list into a longer one.
pub(super) fn copied(value: &Datum<'_>) -> usize {
    match value {
        Datum::List(list) => list.len(),
        other => scanned(other),
    }
}
