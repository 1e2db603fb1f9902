//! How long to wait for other writers.

use std::time::Duration;

/// Retry intervals while another writer holds the lock. They are short at first, because usually only one process is
/// waiting.
const QUICK_STEPS: i32 = 400;
const QUICK_STEP: Duration = Duration::from_micros(250);
const SLOW_STEP: Duration = Duration::from_millis(2);

/// How long to wait while another process holds the write lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// For commands: several seconds.
    Usual,
    /// For a hook, because its client is waiting. The limit is three seconds if the queue does not move, otherwise the
    /// hook's deadline.
    Short,
    /// For a migration: another process may be copying a large store.
    Migration,
}

impl Patience {
    /// Maximum time to wait in a queue that does not move.
    pub(crate) const fn still(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            Self::Short => Duration::from_secs(3),
            Self::Migration => Duration::from_mins(10),
        }
    }

    /// Maximum total waiting time.
    pub(crate) const fn longest(self) -> Duration {
        match self {
            Self::Usual => Duration::from_secs(16),
            // Only an upper bound: the hook's own deadline is earlier.
            Self::Short => Duration::from_secs(10),
            Self::Migration => Duration::from_mins(10),
        }
    }

    /// How often the first writer in the queue tries to get the lock.
    const fn steps(self) -> i32 {
        match self {
            Self::Usual => 8000,
            Self::Short => 1850,
            Self::Migration => 300_000,
        }
    }
}

/// The busy handler for this waiting time.
pub(crate) fn waiting(patience: Patience) -> fn(i32) -> bool {
    match patience {
        Patience::Usual => wait_as_usual,
        Patience::Short => wait_briefly,
        Patience::Migration => wait_long,
    }
}

/// The busy handler for commands: sleeps, then returns whether to try again.
pub(crate) fn wait_as_usual(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Usual.steps()
}

/// The busy handler for a hook.
fn wait_briefly(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Short.steps()
}

/// The busy handler for a migration.
fn wait_long(tries: i32) -> bool {
    pause(tries);
    tries < Patience::Migration.steps()
}

fn pause(tries: i32) {
    std::thread::sleep(if tries < QUICK_STEPS {
        QUICK_STEP
    } else {
        SLOW_STEP
    });
}
