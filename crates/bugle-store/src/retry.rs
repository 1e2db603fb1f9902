//! The retry policy: one bounded loop for everything that another process or the network can interrupt.

use crate::StoreError;

/// Maximum number of attempts. Sixty-four processes that change one run at the same time need a few dozen.
pub const MAX_ATTEMPTS: u32 = 50;

/// Why an attempt failed.
#[derive(Debug)]
pub enum Failure<E> {
    /// Another process or the network interfered: the next attempt may succeed. The last attempt returns this error.
    Transient(E),
    /// Another attempt would fail in the same way.
    Permanent(E),
}

impl<E> Failure<E> {
    /// A transient failure if `is_transient` is true, otherwise a permanent failure.
    pub fn of(is_transient: bool, error: E) -> Self {
        if is_transient {
            Self::Transient(error)
        } else {
            Self::Permanent(error)
        }
    }
}

impl<E: From<StoreError>> From<StoreError> for Failure<E> {
    fn from(error: StoreError) -> Self {
        Self::of(error.is_transient(), error.into())
    }
}

/// Repeats `attempt` while it fails transiently, at most [`MAX_ATTEMPTS`] times. There is no delay between attempts: a
/// conflict means that another process has made progress, and a lost connection is opened again first.
pub fn retry<T, E>(mut attempt: impl FnMut() -> Result<T, Failure<E>>) -> Result<T, E> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        match attempt() {
            Ok(value) => return Ok(value),
            Err(Failure::Transient(_)) if attempts < MAX_ATTEMPTS => {}
            Err(Failure::Transient(error) | Failure::Permanent(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Retries an operation that fails transiently until attempt `successful`. Returns the result and the number of
    /// attempts.
    fn attempts(successful: u32) -> (Result<u32, &'static str>, u32) {
        let mut made = 0;
        let done = retry(|| {
            made += 1;
            if made < successful {
                return Err(Failure::Transient("conflict"));
            }
            Ok(made)
        });
        (done, made)
    }

    #[test]
    fn transient_failures_are_retried_a_limited_number_of_times() {
        assert_eq!(attempts(1), (Ok(1), 1));
        assert_eq!(attempts(MAX_ATTEMPTS), (Ok(MAX_ATTEMPTS), MAX_ATTEMPTS));
        assert_eq!(attempts(MAX_ATTEMPTS + 1), (Err("conflict"), MAX_ATTEMPTS));
    }

    #[test]
    fn a_permanent_failure_is_not_retried() {
        let mut made = 0;
        let failed: Result<(), _> = retry(|| {
            made += 1;
            Err(Failure::Permanent("the disk is full"))
        });
        assert_eq!((failed, made), (Err("the disk is full"), 1));
    }
}
