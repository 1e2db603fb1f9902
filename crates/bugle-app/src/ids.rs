//! The clock and the random numbers of a context, and the retry for ids that are taken. No other module reads the
//! system's clock or random bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bugle_core::id::Timestamp;
use bugle_store::StoreError;

use crate::AppError;

/// Maximum number of attempts to generate a free id.
const MAX_TRIES: usize = 8;

/// The source of the current time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The system clock.
    System,
    /// A fixed time, for tests.
    Fixed(Timestamp),
}

impl Clock {
    /// The current time.
    pub fn now(self) -> Timestamp {
        match self {
            Self::Fixed(now) => now,
            Self::System => {
                let since = std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .unwrap_or_default();
                Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
            }
        }
    }
}

/// The source of random numbers.
#[derive(Debug, Clone)]
pub enum RandomSource {
    /// The system's random number generator.
    System,
    /// A sequence of numbers, for tests. Clones share the same sequence.
    Sequence {
        /// Returns the number at an index.
        number_at: fn(u64) -> u64,
        /// The index of the next number.
        next: Arc<AtomicU64>,
    },
}

impl RandomSource {
    /// A new sequence.
    pub fn sequence(number_at: fn(u64) -> u64) -> Self {
        Self::Sequence {
            number_at,
            next: Arc::default(),
        }
    }

    /// The next number.
    pub fn next(&self) -> Result<u64, AppError> {
        match self {
            Self::Sequence { number_at, next } => Ok(number_at(next.fetch_add(1, Ordering::Relaxed))),
            Self::System => getrandom::u64()
                .map_err(|error| AppError::System(format!("cannot read random bytes: {error}"))),
        }
    }
}

/// Why an attempt to store something under new ids failed. The error rolls the transaction back.
pub(crate) enum NewIdError {
    /// An id is taken.
    Taken,
    /// The attempt failed for another reason.
    Failed(AppError),
}

impl From<AppError> for NewIdError {
    fn from(error: AppError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for NewIdError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

/// Repeats `attempt`, which generates new ids, while an id is taken. `what` names the new object in an error.
pub(crate) fn with_new_ids<T>(
    what: &str,
    mut attempt: impl FnMut() -> Result<T, NewIdError>,
) -> Result<T, AppError> {
    for _ in 0..MAX_TRIES {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(NewIdError::Taken) => {}
            Err(NewIdError::Failed(error)) => return Err(error),
        }
    }
    Err(AppError::System(format!(
        "cannot find a free id for {what} after {MAX_TRIES} tries"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_repeated_only_while_an_id_is_taken_and_not_forever() {
        let attempts = |free_at: usize| {
            let mut made = 0;
            let done = with_new_ids("the task", || {
                made += 1;
                if made < free_at {
                    return Err(NewIdError::Taken);
                }
                Ok(made)
            });
            (done, made)
        };
        assert!(matches!(attempts(1), (Ok(1), 1)));
        assert!(matches!(attempts(MAX_TRIES), (Ok(MAX_TRIES), MAX_TRIES)));
        let (error, made) = attempts(MAX_TRIES + 1);
        assert_eq!(made, MAX_TRIES);
        assert_eq!(
            error.unwrap_err().to_string(),
            "cannot find a free id for the task after 8 tries"
        );
        let mut made = 0;
        let failed: Result<(), AppError> = with_new_ids("the task", || {
            made += 1;
            Err(AppError::System("the disk is full".to_owned()).into())
        });
        assert_eq!(
            (failed.unwrap_err().to_string().as_str(), made),
            ("the disk is full", 1)
        );
    }

    #[test]
    fn clones_of_a_sequence_share_its_numbers() {
        let source = RandomSource::sequence(|index| index * 10);
        let clone = source.clone();
        let numbers = [&source, &clone, &source].map(|source| source.next().unwrap());
        assert_eq!(numbers, [0, 10, 20]);
    }
}
