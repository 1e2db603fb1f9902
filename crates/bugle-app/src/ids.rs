//! The clock and the random numbers of a context, and new, unused ids. No other module reads the system's clock or
//! random bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bugle_core::id::Timestamp;
use bugle_store::{Failure, MAX_ATTEMPTS, StoreError, retry};

use crate::AppError;

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
    retry(|| {
        attempt().map_err(|failed| match failed {
            NewIdError::Taken => Failure::Transient(AppError::System(format!(
                "cannot find a free id for {what} after {MAX_ATTEMPTS} attempts"
            ))),
            NewIdError::Failed(error) => Failure::Permanent(error),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attempt_is_repeated_while_an_id_is_taken() {
        let mut made = 0;
        let done = with_new_ids("the task", || {
            made += 1;
            if made < 3 {
                return Err(NewIdError::Taken);
            }
            Ok(made)
        });
        assert!(matches!(done, Ok(3)));
        let never: Result<(), AppError> = with_new_ids("the task", || Err(NewIdError::Taken));
        assert_eq!(
            never.unwrap_err().to_string(),
            "cannot find a free id for the task after 50 attempts"
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
