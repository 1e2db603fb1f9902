//! The clock, random numbers and new ids.

use bugle_core::id::{RunId, TaskId, Timestamp};

use crate::AppError;

/// The current time.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// A random number.
pub(crate) fn random() -> Result<u64, AppError> {
    getrandom::u64().map_err(|error| AppError::System(format!("there is no source of chance: {error}")))
}

pub(crate) fn new_run_id() -> Result<RunId, AppError> {
    Ok(RunId::from_random(random()?))
}

/// How often new ids are generated when one is taken.
pub(crate) const ID_TRIES: usize = 8;

pub(crate) fn new_task_id() -> Result<TaskId, AppError> {
    Ok(TaskId::from_random(random()?))
}
